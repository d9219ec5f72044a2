#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/binary_infer_sym.h"
#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/out_like_x_infer_sym.h"

namespace paddle::dialect {

// The dims of updates equal those of x, except for the length of the index
// along `axis`.
bool IndexScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  SymbolicDims expected = DimsOf(op, 0, *infer_context);
  expected[AxisOf(op, "axis", expected.size())] =
      DimsOf(op, 1, *infer_context)[0];
  infer_context->AddEqualCstr(expected, DimsOf(op, 2, *infer_context));
  return SetOutLikeX(op, infer_context);
}

bool IndexScatter_OpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return IndexScatterOpInferSymbolicShape(op, infer_context);
}

}  // namespace paddle::dialect
