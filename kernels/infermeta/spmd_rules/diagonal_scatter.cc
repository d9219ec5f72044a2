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

#include "paddle/phi/infermeta/spmd_rules/diagonal_scatter.h"

namespace phi {
namespace distributed {

namespace {

struct Operands {
  BatchedOperand x;
  BatchedOperand y;

  Operands(const DistMetaTensor& x,
           const DistMetaTensor& y,
           int axis1,
           int axis2)
      : x{x, BatchDims(x, {axis1, axis2})},
        y{y, BatchDimsWithout(y, x, {axis1, axis2})} {}
};

}  // namespace

SpmdInfo DiagonalScatterInferSpmd(const DistMetaTensor& x,
                                  const DistMetaTensor& y,
                                  int64_t offset,
                                  int axis1,
                                  int axis2) {
  const Operands of(x, y, axis1, axis2);
  return ShardBatchDims({of.x, of.y}, {of.x, of.y}, {of.x});
}

SpmdInfo DiagonalScatterInferSpmdReverse(const DistMetaTensor& x,
                                         const DistMetaTensor& y,
                                         const DistMetaTensor& out,
                                         int64_t offset,
                                         int axis1,
                                         int axis2) {
  const Operands of(x, y, axis1, axis2);
  const BatchedOperand of_out{out, of.x.dims};
  return ShardBatchDims({of_out}, {of.x, of.y}, {of_out});
}

SpmdInfo DiagonalScatterGradInferSpmd(const DistMetaTensor& x,
                                      const DistMetaTensor& y,
                                      const DistMetaTensor& out_grad,
                                      int64_t offset,
                                      int axis1,
                                      int axis2) {
  const Operands of(x, y, axis1, axis2);
  const BatchedOperand of_grad{out_grad, of.x.dims};
  return ShardBatchDims(
      {of_grad, of.x, of.y}, {of.x, of.y, of_grad}, {of.x, of.y});
}

}  // namespace distributed
}  // namespace phi
