// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#include "paddle/phi/infermeta/spmd_rules/select_scatter.h"

namespace phi {
namespace distributed {

namespace {

struct Operands {
  BatchedOperand x;
  BatchedOperand values;

  Operands(const DistMetaTensor& x, const DistMetaTensor& values, int axis)
      : x{x, BatchDims(x, {axis})},
        values{values, BatchDimsWithout(values, x, {axis})} {}
};

}  // namespace

SpmdInfo SelectScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& values,
                                int axis,
                                int64_t index) {
  const Operands of(x, values, axis);
  return ShardBatchDims({of.x, of.values}, {of.x, of.values}, {of.x});
}

SpmdInfo SelectScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& values,
                                       const DistMetaTensor& out,
                                       int axis,
                                       int64_t index) {
  const Operands of(x, values, axis);
  const BatchedOperand of_out{out, of.x.dims};
  return ShardBatchDims({of_out}, {of.x, of.values}, {of_out});
}

SpmdInfo SelectScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& values,
                                    const DistMetaTensor& out_grad,
                                    int axis,
                                    int64_t index) {
  const Operands of(x, values, axis);
  const BatchedOperand of_grad{out_grad, of.x.dims};
  return ShardBatchDims({of_grad, of.x, of.values},
                        {of.x, of.values, of_grad},
                        {of.x, of.values});
}

}  // namespace distributed
}  // namespace phi
