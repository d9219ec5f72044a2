#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/binary_infer_sym.h"

namespace paddle::dialect {

bool IndexReduceOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return IndexScatterOpInferSymbolicShape(op, infer_context);
}

bool IndexReduce_OpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return IndexReduceOpInferSymbolicShape(op, infer_context);
}

}  // namespace paddle::dialect
