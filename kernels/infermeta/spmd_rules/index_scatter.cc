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

#include "paddle/phi/infermeta/spmd_rules/index_scatter.h"

#include "paddle/phi/infermeta/spmd_rules/scatter_op_dims.h"

namespace phi {
namespace distributed {
namespace {

// What index_scatter and index_reduce read. Each process needs the whole index,
// whose numbers count along the whole of `axis`.
struct IndexOperands {
  BatchedOperand x;
  BatchedOperand index;
  BatchedOperand updates;

  IndexOperands(const DistMetaTensor& x,
                const DistMetaTensor& index,
                const DistMetaTensor& updates,
                int axis)
      : x{x, BatchDims(x, {axis})},
        index{index, {}},
        // A 0-D index updates one slice, which has no dim `axis`.
        updates{updates,
                updates.dims().size() < x.dims().size()
                    ? BatchDimsWithout(updates, x, {axis})
                    : BatchDims(x, {axis})} {}
};

}  // namespace

SpmdInfo IndexScatterInferSpmd(const DistMetaTensor& x,
                               const DistMetaTensor& index,
                               const DistMetaTensor& updates,
                               int axis,
                               const std::string& reduce,
                               bool include_self) {
  const IndexOperands of(x, index, updates, axis);
  return ShardBatchDims(
      {of.x, of.updates}, {of.x, of.index, of.updates}, {of.x});
}

SpmdInfo IndexScatterInferSpmdReverse(const DistMetaTensor& x,
                                      const DistMetaTensor& index,
                                      const DistMetaTensor& updates,
                                      const DistMetaTensor& out,
                                      int axis,
                                      const std::string& reduce,
                                      bool include_self) {
  const IndexOperands of(x, index, updates, axis);
  const BatchedOperand of_out{out, of.x.dims};
  return ShardBatchDims({of_out}, {of.x, of.index, of.updates}, {of_out});
}

SpmdInfo IndexScatterGradInferSpmd(const DistMetaTensor& x,
                                   const DistMetaTensor& index,
                                   const DistMetaTensor& updates,
                                   const DistMetaTensor& out_grad,
                                   int axis,
                                   const std::string& reduce,
                                   bool include_self) {
  const IndexOperands of(x, index, updates, axis);
  const BatchedOperand of_grad{out_grad, of.x.dims};
  return ShardBatchDims({of_grad, of.x, of.updates},
                        {of.x, of.index, of.updates, of_grad},
                        {of.x, of.updates});
}

}  // namespace distributed
}  // namespace phi
