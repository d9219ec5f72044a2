#include "static/custom_ops.h"

#include <string_view>

#include "paddle/phi/infermeta/spmd_rules/rules.h"
#include "static/custom_attrs.h"

namespace native_ops {

using phi::DenseTensor;

namespace {

// A plausible dtype for InferShape, which is not told the dtypes.
phi::DataType PlausibleDtype(const char* name) {
  const std::string_view base(name);
  if (base == "mask") return phi::DataType::BOOL;
  if (base == "index") return phi::DataType::INT64;
  return phi::DataType::FLOAT32;
}

// The Tensor that a custom name is about: x of x@GRAD@GRAD.
std::string_view BaseName(const char* custom_name) {
  const std::string_view name(custom_name);
  return name.substr(0, name.find('@'));
}

// A branch of a graph hands on all that it has computed, and refuses a Tensor
// without memory.
void LeaveEmpty(DenseTensor* output) {
  output->Resize({0});
  CpuContext().Alloc(output, output->dtype());
}

}  // namespace

// The Tensors of one custom call, as the YAML entry has them.
class CustomCall {
 public:
  CustomCall(const OpSpec& base,
             const OpSpec& spec,
             paddle::CustomOpKernelContext* context)
      : spec_(spec), attrs_(ConvertAttrs(base, spec, context->Attrs())) {
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      const auto& range = context->InputRangeAt(i);
      PADDLE_ENFORCE_NE(
          range.first,
          range.second,
          common::errors::PreconditionNotMet(
              "(%s) %s has been released: the gradients of this graph were "
              "computed before. Set retain_graph=True in the first backward "
              "or grad call to compute them again.",
              spec.name,
              spec.inputs[i].name));
      ReadInput(spec.inputs[i], context->InputAt(range.first));
    }
    const auto wanted = WantedOutputs(base, spec, context->Attrs());
    for (size_t i = 0; i < spec.outputs.size(); ++i) {
      paddle::Tensor* output =
          context->MutableOutputAt(context->OutputRangeAt(i).first);
      auto* dense = static_cast<DenseTensor*>(output->impl().get());
      if (!wanted[i]) LeaveEmpty(dense);
      outputs_.push_back(wanted[i] ? dense : nullptr);
    }
  }

  void Run() { native_ops::Run(spec_, inputs_, attrs_, outputs_); }

 private:
  void ReadInput(const InputSpec& input, const paddle::Tensor& tensor) {
    const bool absent = input.optional && !tensor.initialized();
    inputs_.push_back(absent ? nullptr : DenseOf(spec_, input.name, tensor));
  }

  const OpSpec& spec_;
  Attrs attrs_;
  Inputs inputs_;
  Outputs outputs_;
};

std::vector<const char*> ExtraOutputs(const OpSpec& base, const OpSpec& spec) {
  if (base.is_backward) return {};
  return spec.extra_outputs;
}

void RunCustom(const OpSpec& base,
               const OpSpec& spec,
               paddle::CustomOpKernelContext* context) {
  CustomCall(base, spec, context).Run();
}

Shapes InferCustomShapes(const OpSpec& base,
                         const OpSpec& spec,
                         const Shapes& shapes,
                         const std::vector<paddle::any>& values) {
  std::vector<DenseTensor> tensors;
  tensors.reserve(shapes.size());
  Inputs inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    tensors.push_back(
        MetaOnly(shapes[i], PlausibleDtype(spec.inputs[i].custom_name)));
    inputs.push_back(&tensors.back());
  }
  const Attrs attrs = ConvertAttrs(base, spec, values);
  Shapes found;
  for (const DenseTensor& result : InferOutputs(spec, inputs, attrs)) {
    found.push_back(common::vectorize<int64_t>(result.dims()));
  }
  for (const char* extra : ExtraOutputs(base, spec)) {
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      if (BaseName(extra) == spec.inputs[i].custom_name) {
        found.push_back(shapes[i]);
      }
    }
  }
  return found;
}

std::vector<phi::DataType> InferCustomDtypes(
    const OpSpec& base,
    const OpSpec& spec,
    const std::vector<phi::DataType>& inputs) {
  const size_t count = spec.outputs.size() + ExtraOutputs(base, spec).size();
  return std::vector<phi::DataType>(count, inputs[spec.dtype_input]);
}

phi::distributed::SpmdInfo InferCustomSpmd(
    const OpSpec& base,
    const OpSpec& spec,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const std::vector<paddle::any>& attrs) {
  using phi::distributed::DistMetaTensor;
  const auto replicated = [](const DistMetaTensor& tensor, size_t rank) {
    auto attr =
        phi::distributed::CopyTensorDistAttrForOutput(tensor.dist_attr());
    attr.set_dims_mapping(std::vector<int64_t>(rank, -1));
    return attr;
  };
  phi::distributed::SpmdInfo info;
  Shapes shapes;
  for (const auto& input : inputs) {
    const auto& tensor = PADDLE_GET_CONST(DistMetaTensor, input);
    shapes.push_back(common::vectorize<int64_t>(tensor.dims()));
    info.first.emplace_back(replicated(tensor, shapes.back().size()));
  }
  const auto& like = PADDLE_GET_CONST(DistMetaTensor, inputs[0]);
  for (const Shape& shape : InferCustomShapes(base, spec, shapes, attrs)) {
    info.second.emplace_back(replicated(like, shape.size()));
  }
  return info;
}

}  // namespace native_ops
