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

#include <algorithm>

#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/binary_infer_sym.h"
#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/out_like_x_infer_sym.h"

namespace paddle::dialect {

// The dims of y equal those of x without both axes. The length of the diagonal
// is unconstrained: it depends on both axes and the offset.
bool DiagonalScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  SymbolicDims expected = DimsOf(op, 0, *infer_context);
  const size_t axis1 = AxisOf(op, "axis1", expected.size());
  const size_t axis2 = AxisOf(op, "axis2", expected.size());
  expected.erase(expected.begin() + std::max(axis1, axis2));
  expected.erase(expected.begin() + std::min(axis1, axis2));
  SymbolicDims y = DimsOf(op, 1, *infer_context);
  y.pop_back();
  infer_context->AddEqualCstr(expected, y);
  return SetOutLikeX(op, infer_context);
}

}  // namespace paddle::dialect
