// Symbolic shapes of operators whose output has the shape of x. InferMeta has
// checked ranks and axes; these functions add equality constraints between
// dims.

#pragma once

#include <string>
#include <vector>

#include "paddle/pir/include/core/builtin_attribute.h"
#include "paddle/pir/include/dialect/shape/utils/shape_analysis.h"

namespace paddle::dialect {

using SymbolicDims = std::vector<symbol::DimExpr>;

// Returns a copy: a constraint may rewrite the dims that the context holds.
inline SymbolicDims DimsOf(
    pir::Operation* op,
    int operand,
    const pir::InferSymbolicShapeContext& infer_context) {
  return infer_context.GetShapeOrDataForValue(op->operand_source(operand))
      .shape();
}

// Returns the axis attribute, mapped to [0, rank).
inline size_t AxisOf(pir::Operation* op, const std::string& name, size_t rank) {
  const int axis = op->attribute<pir::Int32Attribute>(name).data();
  return axis < 0 ? axis + rank : axis;
}

// Sets the symbolic shape of out to that of x. Not its symbolic data: the
// values of out differ from those of x.
inline bool SetOutLikeX(pir::Operation* op,
                        pir::InferSymbolicShapeContext* infer_context) {
  infer_context->SetShapeOrDataForValue(
      op->result(0),
      symbol::ShapeOrDataDimExprs{
          symbol::TensorShapeOrDataDimExprs(DimsOf(op, 0, *infer_context))});
  return true;
}

}  // namespace paddle::dialect
