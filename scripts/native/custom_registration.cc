#include <unordered_map>
#include <unordered_set>
#include "custom_attrs.h"

#include "custom_names.h"
#include "custom_ops.h"

// What the Python function load_op_meta_info_and_register_op calls, one after
// the other. libpaddle.so exports them, but no header declares them.
using OpMetaInfos =
    std::unordered_map<std::string, std::vector<paddle::OpMetaInfo>>;

namespace paddle::framework {
OpMetaInfos RegisterOperatorWithMetaInfoMap(const OpMetaInfoMap& map,
                                            void* library);
}  // namespace paddle::framework

namespace egr {
class Controller {
 public:
  static Controller& Instance();
  void MergeOpMetaInfoMap(const OpMetaInfos& map);
};
}  // namespace egr

namespace native_ops {

using phi::DenseTensor;

void RegisterCustom(const OpSpec& forward,
                    const OpSpec& spec,
                    Form form,
                    size_t order,
                    const CustomFunctions& functions) {
  const bool dygraph = form == Form::kDygraph;
  std::vector<std::string> inputs;
  for (const InputSpec& input : spec.inputs) {
    inputs.push_back(input.custom_name);
    if (spec.is_backward && IsShapeInput(input, form)) {
      inputs.back() += "_shape";
    }
  }
  if (!spec.is_backward && dygraph) {
    for (const size_t i : forward.shape_inputs) {
      inputs.push_back(std::string(spec.inputs[i].name) + "_shape");
    }
  }
  std::vector<std::string> outputs;
  for (const OutputSpec& output : spec.outputs) {
    outputs.push_back(output.custom_name);
  }
  for (const ExtraOutput& extra : spec.extra_outputs) {
    if (!dygraph || extra.in_dygraph) outputs.push_back(extra.custom_name);
  }
  const char* suffix = dygraph ? kDygraphSuffix : "";
  paddle::OpMetaInfoBuilder(std::string(forward.name) + suffix, order)
      .Inputs(std::move(inputs))
      .Outputs(std::move(outputs))
      .Attrs(DeclaredAttrs(forward))
      .SetKernelFn(functions.kernel)
      .SetInferShapeFn(functions.shape)
      .SetInferDtypeFn(functions.dtype)
      .SetInferSpmdFn(functions.spmd);
}

namespace {

void NoSecondOrder(paddle::CustomOpKernelContext*) {
  PADDLE_THROW(common::errors::Unimplemented(
      "The gradient of this operator cannot be differentiated again: it has "
      "no second-order gradient. The node that is named with this error says "
      "which operator it is."));
}

}  // namespace

void RegisterNoSecondOrder(const OpSpec& forward, const OpSpec& gradient) {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  for (const InputSpec& input : gradient.inputs) {
    if (IsShapeInput(input, Form::kDygraph)) continue;
    const std::string name = input.custom_name;
    inputs.push_back(name);
    bool differentiable = BaseName(input.custom_name) != name;
    for (const OutputSpec& output : gradient.outputs) {
      differentiable |= name + "@GRAD" == output.custom_name;
    }
    if (differentiable) outputs.push_back(name + "@GRAD");
  }
  for (const OutputSpec& output : gradient.outputs) {
    inputs.push_back(std::string(output.custom_name) + "@GRAD");
  }
  paddle::OpMetaInfoBuilder(std::string(forward.name) + kDygraphSuffix, 2)
      .Inputs(std::move(inputs))
      .Outputs(std::move(outputs))
      .Attrs(DeclaredAttrs(forward))
      .SetKernelFn(NoSecondOrder);
}

namespace {

void NoThirdOrderForward(paddle::CustomOpKernelContext* context) {
  auto* out =
      static_cast<DenseTensor*>(context->MutableOutputAt(0)->impl().get());
  out->Resize(common::make_ddim({1}));
  CpuContext().Alloc(out, context->InputAt(0).dtype());
}

void NoThirdOrderBackward(paddle::CustomOpKernelContext*) {
  PADDLE_THROW(common::errors::Unimplemented(
      "The third-order gradient of a masked or scatter operator is not "
      "available: its second-order grad was differentiated again."));
}

Shapes SameShapes(const Shapes& inputs,
                  const std::vector<Shapes>&,
                  const std::vector<paddle::any>&) {
  return {inputs[0]};
}

std::vector<phi::DataType> SameDtypes(
    const std::vector<phi::DataType>& inputs,
    const std::vector<std::vector<phi::DataType>>&,
    const std::vector<paddle::any>&) {
  return {inputs[0]};
}

const bool no_third_order_registered = [] {
  paddle::OpMetaInfoBuilder(kNoThirdOrder, 0)
      .Inputs({"x"})
      .Outputs({"out"})
      .SetKernelFn(NoThirdOrderForward)
      .SetInferShapeFn(SameShapes)
      .SetInferDtypeFn(SameDtypes);
  paddle::OpMetaInfoBuilder(kNoThirdOrder, 1)
      .Inputs({"x", "out@GRAD"})
      .Outputs({"x@GRAD"})
      .SetKernelFn(NoThirdOrderBackward)
      .SetInferShapeFn(SameShapes)
      .SetInferDtypeFn(SameDtypes);
  return true;
}();

}  // namespace

void RegisterWithFramework() {
  paddle::framework::RegisterOperatorWithMetaInfoMap(
      paddle::OpMetaInfoMap::Instance(), nullptr);
}

void AdmitToDygraph(const std::string& name) {
  static std::unordered_set<std::string> admitted;
  if (!admitted.insert(name).second) return;
  const auto& all = paddle::OpMetaInfoMap::Instance().GetMap();
  egr::Controller::Instance().MergeOpMetaInfoMap({{name, all.at(name)}});
}

}  // namespace native_ops
