#include "custom_ops.h"

#include <string_view>

#include "custom_attrs.h"
#include "custom_names.h"
#include "grad_node.h"
#include "paddle/phi/infermeta/spmd_rules/rules.h"

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

}  // namespace

// The Tensors of one custom call, as the YAML entry has them.
class CustomCall {
 public:
  CustomCall(const OpSpec& spec, paddle::CustomOpKernelContext* context)
      : spec_(spec), tensors_(spec.inputs.size()) {
    const CustomOrder order(spec);
    const std::vector<paddle::any>& values = context->Attrs();
    attrs_ = ConvertAttrs(spec, values);
    zero_dim_ = NamesAt(order.zero_dim, values);
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
      ReadInput(i, context->InputAt(range.first));
    }
    for (size_t i = 0; i < spec.outputs.size(); ++i) {
      paddle::Tensor* output =
          context->MutableOutputAt(context->OutputRangeAt(i).first);
      outputs_.push_back(static_cast<DenseTensor*>(output->impl().get()));
    }
  }

  void Run() {
    native_ops::Run(spec_, inputs_, attrs_, outputs_);
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (IsZeroDim(zero_dim_, spec_.outputs[i].custom_name)) {
        outputs_[i]->Resize(common::make_ddim({1}));
      }
    }
  }

 private:
  void ReadInput(size_t i, const paddle::Tensor& tensor) {
    const InputSpec& input = spec_.inputs[i];
    if (!tensor.initialized() && input.optional) {
      inputs_.push_back(nullptr);
      return;
    }
    tensors_[i] = *DenseOf(spec_, input.name, tensor);
    if (IsZeroDim(zero_dim_, input.custom_name)) {
      tensors_[i].Resize(common::make_ddim({}));
    }
    inputs_.push_back(&tensors_[i]);
  }

  const OpSpec& spec_;
  std::vector<DenseTensor> tensors_;
  Attrs attrs_;
  std::string zero_dim_;
  Inputs inputs_;
  Outputs outputs_;
};

void RunCustom(const OpSpec& spec, paddle::CustomOpKernelContext* context) {
  CustomCall(spec, context).Run();
}

Shapes InferCustomShapes(const OpSpec& spec,
                         const Shapes& shapes,
                         const std::vector<paddle::any>& values) {
  const std::string zero_dim = NamesAt(CustomOrder(spec).zero_dim, values);
  std::vector<DenseTensor> tensors;
  tensors.reserve(shapes.size());
  Inputs inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const InputSpec& input = spec.inputs[i];
    const bool is_zero_dim = IsZeroDim(zero_dim, input.custom_name);
    tensors.push_back(MetaOnly(is_zero_dim ? Shape{} : shapes[i],
                               PlausibleDtype(input.custom_name)));
    inputs.push_back(&tensors.back());
  }
  const auto results = InferOutputs(spec, inputs, ConvertAttrs(spec, values));
  Shapes found;
  for (size_t i = 0; i < results.size(); ++i) {
    const bool is_zero_dim = IsZeroDim(zero_dim, spec.outputs[i].custom_name);
    found.push_back(
        is_zero_dim ? Shape{1} : common::vectorize<int64_t>(results[i].dims()));
  }
  for (const char* extra : spec.extra_outputs) {
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      if (BaseName(extra) == spec.inputs[i].custom_name) {
        found.push_back(shapes[i]);
      }
    }
  }
  return found;
}

std::vector<phi::DataType> InferCustomDtypes(
    const OpSpec& spec, const std::vector<phi::DataType>& inputs) {
  const size_t count = spec.outputs.size() + spec.extra_outputs.size();
  return std::vector<phi::DataType>(count, inputs[spec.dtype_input]);
}

phi::distributed::SpmdInfo InferCustomSpmd(
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
  for (const Shape& shape : InferCustomShapes(spec, shapes, attrs)) {
    info.second.emplace_back(replicated(like, shape.size()));
  }
  return info;
}

}  // namespace native_ops
