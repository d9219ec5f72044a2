#include "static/custom_ops.h"

#include <list>
#include <string_view>
#include <utility>

#include "paddle/phi/infermeta/spmd_rules/replicated.h"

// Exported by libphi_core.so; the wheel's header declares it only for a build
// with oneDNN.
namespace phi::funcs {
void TransDataLayoutFromOneDNN(DataLayout in_layout,
                               DataLayout out_layout,
                               const DenseTensor& in,
                               DenseTensor* out,
                               Place place,
                               bool always_copy);
}  // namespace phi::funcs

namespace native_ops {

using phi::DenseTensor;

namespace {

// ---- attributes

// The types in the declaration of a custom operator, in the order of Attr.
constexpr const char* kAttrTypes[] = {"bool", "int", "int64_t", "std::string"};

Attrs ConvertAttrs(const OpSpec& spec, const std::vector<paddle::any>& values) {
  Attrs attrs;
  for (const AttrSpec& attr : spec.attrs) {
    const paddle::any& value = values.at(attrs.size());
    attrs.push_back(std::visit(
        [&](const auto& type) -> Attr {
          return paddle::any_cast<std::decay_t<decltype(type)>>(value);
        },
        attr.type));
  }
  return attrs;
}

// Returns "name: type" of each attribute. A gradient that is an operator of its
// own has an additional attribute, the indices of the outputs to compute.
std::vector<std::string> DeclareAttrs(const OpSpec& base) {
  std::vector<std::string> declared;
  for (const AttrSpec& attr : base.attrs) {
    declared.push_back(std::string(attr.name) + ": " +
                       kAttrTypes[attr.type.index()]);
  }
  if (base.is_backward) declared.push_back("wanted: std::vector<int>");
  return declared;
}

// Returns which outputs to compute: all without the additional attribute.
std::vector<bool> OutputMask(const Chain& chain,
                             const std::vector<paddle::any>& values) {
  const OpSpec& base = *chain.front();
  const bool has_attr = base.is_backward && chain.size() == 1;
  std::vector<bool> mask(chain.back()->outputs.size(), !has_attr);
  if (!has_attr) return mask;
  for (const int i :
       paddle::any_cast<std::vector<int>>(values.at(base.attrs.size()))) {
    mask.at(i) = true;
  }
  return mask;
}

// ---- names

std::string NameOfOutput(const Chain& chain, size_t order, size_t at);

// Returns the name that Paddle requires in a custom operator of that order:
// X@GRAD for the gradient of X.
std::string NameOfInput(const Chain& chain, size_t order, size_t at) {
  const InputSpec& input = chain[order]->inputs[at];
  if (order == 0) {
    return input.optional ? paddle::Optional(input.name) : input.name;
  }
  const Source& source = input.source;
  if (source.kind == Source::kInput)
    return NameOfInput(chain, order - 1, source.index);
  const std::string result = NameOfOutput(chain, order - 1, source.index);
  return source.kind == Source::kResult ? result : result + "@GRAD";
}

std::string NameOfOutput(const Chain& chain, size_t order, size_t at) {
  const OutputSpec& output = chain[order]->outputs[at];
  if (order == 0) return output.name;
  return NameOfInput(chain, order - 1, output.forward_input) + "@GRAD";
}

// ---- shapes and calls

// Infers the shapes of the outputs; unknown dims are -1.
Shapes InferShapes(const OpSpec& spec,
                   const Shapes& shapes,
                   const std::vector<phi::DataType>& dtypes,
                   const Attrs& attrs) {
  std::vector<DenseTensor> tensors(dtypes.size());
  Inputs inputs;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    phi::MetaTensor meta(&tensors[i]);
    meta.set_dims(common::make_ddim(shapes[i]));
    meta.set_dtype(dtypes[i]);
    inputs.push_back(&tensors[i]);
  }
  Shapes output_shapes;
  for (const DenseTensor& result : InferOutputs(spec, inputs, attrs)) {
    output_shapes.push_back(common::vectorize<int64_t>(result.dims()));
  }
  return output_shapes;
}

// Returns `tensor` or, if its layout is that of oneDNN, which predictors use, a
// tensor in plain layout that is owned by `converted`. Paddle inserts this
// conversion before its own operators only.
const DenseTensor* InPlainLayout(const DenseTensor* tensor,
                                 std::list<DenseTensor>* converted) {
  if (tensor->layout() != phi::DataLayout::ONEDNN) return tensor;
  phi::funcs::TransDataLayoutFromOneDNN(phi::DataLayout::ONEDNN,
                                        phi::DataLayout::NCHW,
                                        *tensor,
                                        &converted->emplace_back(),
                                        phi::CPUPlace(),
                                        /*always_copy=*/false);
  return &converted->back();
}

}  // namespace

void RunCustom(const Chain& chain, paddle::CustomOpKernelContext* context) {
  const OpSpec& spec = *chain.back();
  std::list<DenseTensor> converted;
  Inputs inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const InputSpec& input = spec.inputs[i];
    const paddle::Tensor& tensor =
        context->InputAt(context->InputRangeAt(i).first);
    const bool absent = input.optional && !tensor.initialized();
    inputs.push_back(
        absent ? nullptr
               : InPlainLayout(DenseOf(spec, input.name, tensor), &converted));
  }
  const std::vector<bool> mask = OutputMask(chain, context->Attrs());
  Outputs outputs;
  for (size_t i = 0; i < spec.outputs.size(); ++i) {
    paddle::Tensor* output =
        context->MutableOutputAt(context->OutputRangeAt(i).first);
    auto* dense = static_cast<DenseTensor*>(output->impl().get());
    if (!mask[i]) {
      // Conditional blocks reject uninitialized outputs.
      dense->Resize({0});
      CpuContext().Alloc(dense, dense->dtype());
    }
    outputs.push_back(mask[i] ? dense : nullptr);
  }
  Run(spec, inputs, ConvertAttrs(spec, context->Attrs()), outputs);
}

Shapes InferCustomShapes(const Chain& chain,
                         const Shapes& shapes,
                         const std::vector<paddle::any>& values) {
  const OpSpec& spec = *chain.back();
  std::vector<phi::DataType> dtypes;  // not passed to this function
  for (const InputSpec& input : spec.inputs) {
    const std::string_view name(input.name);
    dtypes.push_back(name == "mask"    ? phi::DataType::BOOL
                     : name == "index" ? phi::DataType::INT64
                                       : phi::DataType::FLOAT32);
  }
  return InferShapes(spec, shapes, dtypes, ConvertAttrs(spec, values));
}

std::vector<phi::DataType> InferCustomDtypes(
    const Chain& chain, const std::vector<phi::DataType>& inputs) {
  const OpSpec& spec = *chain.back();
  return std::vector<phi::DataType>(spec.outputs.size(),
                                    inputs[spec.dtype_input]);
}

phi::distributed::SpmdInfo InferCustomSpmd(
    const Chain& chain,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const std::vector<paddle::any>& attrs) {
  using phi::distributed::DistMetaTensor;
  std::vector<const DistMetaTensor*> dist_inputs;
  Shapes shapes;
  for (const auto& input : inputs) {
    dist_inputs.push_back(&PADDLE_GET_CONST(DistMetaTensor, input));
    shapes.push_back(common::vectorize<int64_t>(dist_inputs.back()->dims()));
  }
  std::list<DistMetaTensor> results;
  std::vector<const DistMetaTensor*> dist_outputs;
  for (const Shape& shape : InferCustomShapes(chain, shapes, attrs)) {
    dist_outputs.push_back(&results.emplace_back(common::make_ddim(shape),
                                                 dist_inputs[0]->dist_attr()));
  }
  return phi::distributed::ReplicatedInferSpmd(dist_inputs, dist_outputs);
}

paddle::OpMetaInfoBuilder DeclareCustom(const Chain& chain) {
  const OpSpec& spec = *chain.back();
  const size_t order = chain.size() - 1;
  std::vector<std::string> inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    inputs.push_back(NameOfInput(chain, order, i));
  }
  std::vector<std::string> outputs;
  for (size_t i = 0; i < spec.outputs.size(); ++i) {
    outputs.push_back(NameOfOutput(chain, order, i));
  }
  paddle::OpMetaInfoBuilder builder(chain.front()->custom_op, order);
  builder.Inputs(std::move(inputs))
      .Outputs(std::move(outputs))
      .Attrs(DeclareAttrs(*chain.front()));
  return builder;
}

Shapes InferForPython(const OpSpec& spec,
                      const py::list& tensors,
                      const py::list& attrs) {
  CheckCount("infer", tensors.size(), spec.inputs.size());
  CheckCount("infer", attrs.size(), spec.attrs.size());
  Shapes shapes;
  std::vector<phi::DataType> dtypes;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    shapes.push_back(tensors[i].attr("shape").cast<Shape>());
    dtypes.push_back(static_cast<phi::DataType>(
        tensors[i].attr("dtype").attr("value").cast<int>()));
  }
  const auto values = py::tuple(attrs);
  return InferShapes(spec, shapes, dtypes, ReadAttrs(spec, values.ptr(), 0));
}

}  // namespace native_ops
