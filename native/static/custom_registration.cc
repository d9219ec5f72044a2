#include <unordered_map>
#include <utility>

#include "static/custom_attrs.h"
#include "static/custom_ops.h"

// What the Python function load_op_meta_info_and_register_op calls for static
// graphs. libpaddle.so exports it, but no header declares it.
using OpMetaInfos =
    std::unordered_map<std::string, std::vector<paddle::OpMetaInfo>>;

namespace paddle::framework {
OpMetaInfos RegisterOperatorWithMetaInfoMap(const OpMetaInfoMap& map,
                                            void* library);
}  // namespace paddle::framework

namespace native_ops {

namespace {

std::string NameOfInput(const InputSpec& input) {
  return input.optional ? paddle::Optional(input.name) : input.name;
}

// What an input of a gradient is called where `base` is the operator that it
// is the gradient of.
std::string NameInGradient(const OpSpec& base, const From& from) {
  if (from.kind == From::kInput) return NameOfInput(base.inputs[from.at]);
  const std::string result = base.outputs[from.at].name;
  return from.kind == From::kResult ? result : result + "@GRAD";
}

std::string InputName(const OpSpec& base,
                      const InputSpec& input,
                      size_t order) {
  if (order == 0) return NameOfInput(input);
  return order == 1 ? NameInGradient(base, input.from) : input.custom_name;
}

std::string OutputName(const OpSpec& base,
                       const OutputSpec& output,
                       size_t order) {
  if (order == 0) return output.name;
  if (order == 2) return output.custom_name;
  return NameOfInput(base.inputs[output.from]) + "@GRAD";
}

}  // namespace

void RegisterCustom(const OpSpec& base,
                    const OpSpec& spec,
                    size_t order,
                    const CustomFunctions& functions) {
  std::vector<std::string> inputs;
  for (const InputSpec& input : spec.inputs) {
    inputs.push_back(InputName(base, input, order));
  }
  std::vector<std::string> outputs;
  for (const OutputSpec& output : spec.outputs) {
    outputs.push_back(OutputName(base, output, order));
  }
  for (const char* extra : ExtraOutputs(base, spec)) outputs.push_back(extra);
  paddle::OpMetaInfoBuilder(base.custom_op, order)
      .Inputs(std::move(inputs))
      .Outputs(std::move(outputs))
      .Attrs(DeclaredAttrs(base))
      .SetKernelFn(functions.kernel)
      .SetInferShapeFn(functions.shape)
      .SetInferDtypeFn(functions.dtype)
      .SetInferSpmdFn(functions.spmd);
}

void RegisterWithFramework() {
  paddle::framework::RegisterOperatorWithMetaInfoMap(
      paddle::OpMetaInfoMap::Instance(), nullptr);
}

}  // namespace native_ops
