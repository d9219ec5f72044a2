// Attaches the symbolic shape functions to the operators of the wheel, which
// are custom_op.* in Paddle, so that Paddle's analysis calls them on real
// programs. Every call is recorded with the resulting dims.

#include <sstream>
#include <string>
#include <vector>

#include "paddle/pir/include/core/ir_context.h"
#include "paddle/pir/include/dialect/shape/interface/infer_symbolic_shape/infer_symbolic_shape.h"

namespace paddle::dialect {

// Declared by generated headers in a Paddle tree.
OP_DECLARE_INFER_SYMBOLIC_SHAPE(MaskedScatter)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(MaskedScatter_)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(SelectScatter)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(DiagonalScatter)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(IndexScatter)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(IndexScatter_)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(IndexReduce)
OP_DECLARE_INFER_SYMBOLIC_SHAPE(IndexReduce_)

}  // namespace paddle::dialect

namespace {

using pir::InferSymbolicShapeContext;
using pir::InferSymbolicShapeInterface;
using Infer = bool (*)(pir::Operation*, InferSymbolicShapeContext*);

std::string call_log;

std::string Dims(const pir::Value& value, InferSymbolicShapeContext* context) {
  const auto& inferred = context->GetShapeOrDataForValue(value);
  std::ostringstream text;
  const char* gap = "";
  for (const symbol::DimExpr& dim : inferred.shape()) {
    text << gap << dim;
    gap = " ";
  }
  return '[' + text.str() + ']' + (inferred.data() ? " and values" : "");
}

std::string Line(pir::Operation* op, InferSymbolicShapeContext* context) {
  std::string line;
  for (const pir::Value& value : op->operands_source()) {
    line += Dims(value, context) + ' ';
  }
  return line + "-> " + Dims(op->result(0), context) + '\n';
}

// The wheel has no operator for an in-place form, so both functions are called
// for the plain operator.
template <Infer... forms>
struct Recorder : InferSymbolicShapeInterface::Concept {
  static bool Run(pir::Operation* op, InferSymbolicShapeContext* context) {
    bool succeeded = true;
    ((succeeded &= forms(op, context), call_log += Line(op, context)), ...);
    return succeeded;
  }
  Recorder() : Concept(Run) {}
};

// Returns false if the operator is missing or already has the interface.
template <Infer... forms>
bool Attach(const std::string& op) {
  pir::OpInfo info =
      pir::IrContext::Instance()->GetRegisteredOpInfo("custom_op." + op);
  if (!info || info.HasInterface<InferSymbolicShapeInterface>()) return false;
  using Model = Recorder<forms...>;
  info.AttachInterface(
      pir::InterfaceValue::Get<InferSymbolicShapeInterface, Model>());
  return true;
}

}  // namespace

extern "C" bool attach_symbolic_shapes() {
  using namespace paddle::dialect;  // NOLINT
  return Attach<MaskedScatterOpInferSymbolicShape,
                MaskedScatter_OpInferSymbolicShape>("masked_scatter") &&
         Attach<SelectScatterOpInferSymbolicShape>("select_scatter") &&
         Attach<DiagonalScatterOpInferSymbolicShape>("diagonal_scatter") &&
         Attach<IndexScatterOpInferSymbolicShape,
                IndexScatter_OpInferSymbolicShape>("index_scatter") &&
         Attach<IndexReduceOpInferSymbolicShape,
                IndexReduce_OpInferSymbolicShape>("index_reduce");
}

extern "C" const char* symbolic_shape_calls() { return call_log.c_str(); }

extern "C" void clear_symbolic_shape_calls() { call_log.clear(); }
