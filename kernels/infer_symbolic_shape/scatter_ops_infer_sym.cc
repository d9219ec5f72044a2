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

#include <algorithm>
#include <string>
#include <vector>

#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/binary_infer_sym.h"
#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/element_wise_binary.h"
#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/multiary_infer_sym.h"
#include "paddle/pir/include/core/builtin_attribute.h"

namespace paddle::dialect {

namespace {

int IntAttribute(pir::Operation* op, const std::string& name) {
  return op->attribute<pir::Int32Attribute>(name).data();
}

// The dims of an operand but for those at `axes`, of which each may count from
// the end. A copy: a constraint may rewrite the dims that the context holds.
std::vector<symbol::DimExpr> DimsBut(
    const std::vector<int>& axes,
    pir::Operation* op,
    int operand,
    const pir::InferSymbolicShapeContext& infer_context) {
  std::vector<symbol::DimExpr> rest;
  const auto& known =
      infer_context.GetShapeOrDataForValue(op->operand_source(operand));
  const int rank = static_cast<int>(known.shape().size());
  for (int i = 0; i < rank; ++i) {
    const bool dropped = std::any_of(axes.begin(), axes.end(), [&](int axis) {
      return i == (axis < 0 ? axis + rank : axis);
    });
    if (!dropped) rest.push_back(known.shape()[i]);
  }
  return rest;
}

// The dims of x but for `axes` are those of an operand but for `operand_axes`,
// and out is like x. Only the shape is taken over: where the values of x are
// known, too, those of out are not.
bool InferOutLikeX(const std::vector<int>& axes,
                   const std::vector<int>& operand_axes,
                   pir::Operation* op,
                   int operand,
                   pir::InferSymbolicShapeContext* infer_context) {
  infer_context->AddEqualCstr(
      DimsBut(axes, op, 0, *infer_context),
      DimsBut(operand_axes, op, operand, *infer_context));
  infer_context->SetShapeOrDataForValue(
      op->result(0),
      symbol::ShapeOrDataDimExprs{symbol::TensorShapeOrDataDimExprs(
          DimsBut({}, op, 0, *infer_context))});
  return true;
}

// Along `axis`, updates are as long as the 1-D index.
bool InferByIndex(pir::Operation* op,
                  pir::InferSymbolicShapeContext* infer_context) {
  const int axis = IntAttribute(op, "axis");
  const auto updates = DimsBut({}, op, 2, *infer_context);
  infer_context->AddEqualCstr(updates[axis < 0 ? axis + updates.size() : axis],
                              DimsBut({}, op, 1, *infer_context)[0]);
  return InferOutLikeX({axis}, {axis}, op, 2, infer_context);
}

}  // namespace

// out has the broadcast shape of the first two operands, and no values, as that
// of a logical operator. value is free: how many of its elements are taken
// depends on the values of mask.
bool MaskedScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return LogicalAndOpInferSymbolicShape(op, infer_context);
}

bool MaskedScatter_OpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return MaskedScatterOpInferSymbolicShape(op, infer_context);
}

bool SelectScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return InferOutLikeX({IntAttribute(op, "axis")}, {}, op, 1, infer_context);
}

// The last dim of y is the length of the diagonal: it stays free, since it
// depends on both axes and on the offset.
bool DiagonalScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return InferOutLikeX({IntAttribute(op, "axis1"), IntAttribute(op, "axis2")},
                       {-1},
                       op,
                       1,
                       infer_context);
}

// The operators along an index, each out of place and in place.
#define OP_INFER_BY_INDEX(name)                                            \
  bool name##OpInferSymbolicShape(                                         \
      pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) { \
    return InferByIndex(op, infer_context);                                \
  }
OP_INFER_BY_INDEX(IndexScatter)
OP_INFER_BY_INDEX(IndexScatter_)
OP_INFER_BY_INDEX(IndexReduce)
OP_INFER_BY_INDEX(IndexReduce_)

}  // namespace paddle::dialect
