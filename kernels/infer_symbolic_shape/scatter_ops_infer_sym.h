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

// Symbolic shapes of the operators that write into a copy of x. InferMeta has
// checked ranks and axes before; here the dims that have to agree are tied
// together, whether they are numbers or symbols.

#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "paddle/pir/include/core/builtin_attribute.h"
#include "paddle/pir/include/core/operation.h"
#include "paddle/pir/include/dialect/shape/utils/shape_analysis.h"

namespace paddle::dialect::scatter_ops {

using SymbolicDims = std::vector<symbol::DimExpr>;

// A copy: a constraint may rewrite the dims that the context holds.
inline SymbolicDims DimsOf(
    pir::Operation* op,
    int operand,
    const pir::InferSymbolicShapeContext& infer_context) {
  return infer_context.GetShapeOrDataForValue(op->operand_source(operand))
      .shape();
}

inline int IntAttribute(pir::Operation* op, const std::string& name) {
  return op->attribute<pir::Int32Attribute>(name).data();
}

// The dims but for those at `axes`, of which each may count from the end.
inline SymbolicDims Without(const SymbolicDims& dims,
                            std::initializer_list<int> axes) {
  const int rank = static_cast<int>(dims.size());
  SymbolicDims rest;
  for (int i = 0; i < rank; ++i) {
    const bool dropped = std::any_of(axes.begin(), axes.end(), [&](int axis) {
      return i == (axis < 0 ? axis + rank : axis);
    });
    if (!dropped) rest.push_back(dims[i]);
  }
  return rest;
}

// Only the shape is taken over: where the values of x are known, too, those of
// out are not.
inline bool SetOutLikeX(pir::Operation* op,
                        pir::InferSymbolicShapeContext* infer_context) {
  infer_context->SetShapeOrDataForValue(
      op->result(0),
      symbol::ShapeOrDataDimExprs{
          symbol::TensorShapeOrDataDimExprs(DimsOf(op, 0, *infer_context))});
  return true;
}

}  // namespace paddle::dialect::scatter_ops
