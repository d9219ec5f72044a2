#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/binary_infer_sym.h"
#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/out_like_x_infer_sym.h"

namespace paddle::dialect {

// The dims of values are those of x without `axis`.
bool SelectScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  SymbolicDims expected = DimsOf(op, 0, *infer_context);
  expected.erase(expected.begin() + AxisOf(op, "axis", expected.size()));
  infer_context->AddEqualCstr(expected, DimsOf(op, 1, *infer_context));
  return SetOutLikeX(op, infer_context);
}

}  // namespace paddle::dialect
