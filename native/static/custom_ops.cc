#include "static/custom_ops.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "paddle/phi/infermeta/spmd_rules/rules.h"

namespace native_ops {

using phi::DenseTensor;

namespace {

// ---- attributes

Attr ConvertAttr(const AttrSpec& attr, const paddle::any& value) {
  switch (attr.type) {
    case AttrType::kBool:
      return paddle::any_cast<bool>(value);
    case AttrType::kInt:
      return paddle::any_cast<int>(value);
    case AttrType::kInt64:
      return paddle::any_cast<int64_t>(value);
    case AttrType::kFloat:
      return paddle::any_cast<float>(value);
    case AttrType::kString:
      return paddle::any_cast<std::string>(value);
  }
  return false;
}

const char* CustomAttrType(AttrType type) {
  switch (type) {
    case AttrType::kBool:
      return "bool";
    case AttrType::kInt:
      return "int";
    case AttrType::kInt64:
      return "int64_t";
    case AttrType::kFloat:
      return "float";
    case AttrType::kString:
      return "std::string";
  }
  return "";
}

// Where an attribute stands among those of `base`.
size_t PositionIn(const OpSpec& base, const AttrSpec& attr) {
  size_t at = 0;
  while (std::strcmp(base.attrs.at(at).name, attr.name) != 0) ++at;
  return at;
}

// The attributes of `spec` among those of a custom call.
Attrs ConvertAttrs(const OpSpec& base,
                   const OpSpec& spec,
                   const std::vector<paddle::any>& values) {
  Attrs attrs;
  for (const AttrSpec& attr : spec.attrs) {
    attrs.push_back(ConvertAttr(attr, values.at(PositionIn(base, attr))));
  }
  return attrs;
}

// "name: type" of each, as a custom operator declares them. A gradient that is
// an operator of its own is told besides which of its results are wanted.
std::vector<std::string> DeclaredAttrs(const OpSpec& base) {
  std::vector<std::string> declared;
  for (const AttrSpec& attr : base.attrs) {
    declared.push_back(std::string(attr.name) + ": " +
                       CustomAttrType(attr.type));
  }
  if (base.is_backward) declared.push_back("wanted: std::vector<int>");
  return declared;
}

// Which results of a custom call are to be computed.
std::vector<bool> WantedOutputs(const OpSpec& base,
                                const OpSpec& spec,
                                const std::vector<paddle::any>& values) {
  if (!base.is_backward || &base != &spec) {
    return std::vector<bool>(spec.outputs.size(), true);
  }
  std::vector<bool> wanted(spec.outputs.size());
  for (const int i :
       paddle::any_cast<std::vector<int>>(values.at(base.attrs.size()))) {
    wanted.at(i) = true;
  }
  return wanted;
}

// ---- calls

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

// What the second order of an operator returns besides, and leaves empty.
std::vector<const char*> ExtraOutputs(const OpSpec& base, const OpSpec& spec) {
  if (base.is_backward) return {};
  return spec.extra_outputs;
}

// ---- names

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

void RunCustom(const OpSpec& base,
               const OpSpec& spec,
               paddle::CustomOpKernelContext* context) {
  CustomCall(base, spec, context).Run();
}

Shapes InferShapes(const OpSpec& spec,
                   const Shapes& shapes,
                   const std::vector<phi::DataType>& dtypes,
                   const Attrs& attrs) {
  std::vector<DenseTensor> tensors;
  tensors.reserve(dtypes.size());
  Inputs inputs;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    tensors.push_back(MetaOnly(shapes[i], dtypes[i]));
    inputs.push_back(&tensors.back());
  }
  Shapes found;
  for (const DenseTensor& result : InferOutputs(spec, inputs, attrs)) {
    found.push_back(common::vectorize<int64_t>(result.dims()));
  }
  return found;
}

Shapes InferCustomShapes(const OpSpec& base,
                         const OpSpec& spec,
                         const Shapes& shapes,
                         const std::vector<paddle::any>& values) {
  std::vector<phi::DataType> dtypes;  // it is not told them
  for (const InputSpec& input : spec.inputs) {
    dtypes.push_back(UsualDtype(input.custom_name, phi::DataType::FLOAT32));
  }
  Shapes found =
      InferShapes(spec, shapes, dtypes, ConvertAttrs(base, spec, values));
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

}  // namespace native_ops
