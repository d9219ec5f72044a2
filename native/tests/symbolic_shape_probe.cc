// Lends our functions to the operators of the wheel target, which Paddle knows
// as custom_op.*, so that Paddle's own analysis calls them on real programs.
// Every call is written down with the dims as they are after it.

#include <sstream>
#include <string>
#include <vector>

#include "paddle/pir/include/core/ir_context.h"
#include "paddle/pir/include/dialect/shape/interface/infer_symbolic_shape/infer_symbolic_shape.h"

namespace paddle::dialect {

// In Paddle's tree its own headers declare them.
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

std::string calls;

std::string Dims(const pir::Value& value, InferSymbolicShapeContext* context) {
  const auto& known = context->GetShapeOrDataForValue(value);
  std::ostringstream text;
  const char* gap = "";
  for (const symbol::DimExpr& dim : known.shape()) {
    text << gap << dim;
    gap = " ";
  }
  return '[' + text.str() + ']' + (known.data() ? " and values" : "");
}

std::string Line(pir::Operation* op, InferSymbolicShapeContext* context) {
  std::string line;
  for (const pir::Value& value : op->operands_source()) {
    line += Dims(value, context) + ' ';
  }
  return line + "-> " + Dims(op->result(0), context) + '\n';
}

// The wheel target has no operator for a form in place, so both forms are
// called for the plain one.
template <Infer... forms>
struct Recorded : InferSymbolicShapeInterface::Concept {
  static bool Run(pir::Operation* op, InferSymbolicShapeContext* context) {
    bool done = true;
    ((done = forms(op, context) && done, calls += Line(op, context)), ...);
    return done;
  }
  Recorded() : Concept(Run) {}
};

// False if the operator is not there or has the interface already.
template <Infer... forms>
bool Lend(const std::string& op) {
  pir::OpInfo info =
      pir::IrContext::Instance()->GetRegisteredOpInfo("custom_op." + op);
  if (!info || info.HasInterface<InferSymbolicShapeInterface>()) return false;
  using Model = Recorded<forms...>;
  info.AttachInterface(
      pir::InterfaceValue::Get<InferSymbolicShapeInterface, Model>());
  return true;
}

}  // namespace

extern "C" bool lend_symbolic_shapes() {
  using namespace paddle::dialect;  // NOLINT
  return Lend<MaskedScatterOpInferSymbolicShape,
              MaskedScatter_OpInferSymbolicShape>("masked_scatter") &&
         Lend<SelectScatterOpInferSymbolicShape>("select_scatter") &&
         Lend<DiagonalScatterOpInferSymbolicShape>("diagonal_scatter") &&
         Lend<IndexScatterOpInferSymbolicShape,
              IndexScatter_OpInferSymbolicShape>("index_scatter") &&
         Lend<IndexReduceOpInferSymbolicShape,
              IndexReduce_OpInferSymbolicShape>("index_reduce");
}

extern "C" const char* symbolic_shape_calls() { return calls.c_str(); }

extern "C" void forget_symbolic_shape_calls() { calls.clear(); }
