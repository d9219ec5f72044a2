#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/element_wise_binary.h"
#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/multiary_infer_sym.h"

namespace paddle::dialect {

// out has the broadcast shape of x and mask. The shape of value is
// unconstrained: the number of elements used depends on the data of mask.
bool MaskedScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return LogicalAndOpInferSymbolicShape(op, infer_context);
}

bool MaskedScatter_OpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return MaskedScatterOpInferSymbolicShape(op, infer_context);
}

}  // namespace paddle::dialect
