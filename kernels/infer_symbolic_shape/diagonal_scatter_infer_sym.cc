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
