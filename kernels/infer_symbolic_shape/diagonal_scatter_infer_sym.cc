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

#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/binary_infer_sym.h"
#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/scatter_ops_infer_sym.h"

namespace paddle::dialect {

// The last dim of y is the length of the diagonal: it stays free, since it
// depends on both axes and on the offset.
bool DiagonalScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  using scatter_ops::DimsOf;
  using scatter_ops::IntAttribute;
  using scatter_ops::Without;
  infer_context->AddEqualCstr(
      Without(DimsOf(op, 0, *infer_context),
              {IntAttribute(op, "axis1"), IntAttribute(op, "axis2")}),
      Without(DimsOf(op, 1, *infer_context), {-1}));
  return scatter_ops::SetOutLikeX(op, infer_context);
}

}  // namespace paddle::dialect
