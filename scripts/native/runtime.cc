#include "runtime.h"

#include <cstring>
#include <string_view>

#include "paddle/phi/api/ext/spmd_infer.h"
#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/core/infermeta_utils.h"
#include "paddle/phi/core/visit_type.h"
#include "paddle/phi/infermeta/spmd_rules/rules.h"
#include "paddle/phi/infermeta/unary.h"
#include "paddle/phi/kernels/contiguous_kernel.h"

namespace native_ops {

using phi::DenseTensor;
using phi::MetaTensor;

const phi::CPUContext& CpuContext() {
  static const auto* context = static_cast<const phi::CPUContext*>(
      phi::DeviceContextPool::Instance().Get(phi::CPUPlace()));
  return *context;
}

namespace {

void InferMeta(const OpSpec& spec,
               const Inputs& inputs,
               const Attrs& attrs,
               const Outputs& outputs) {
  MetaInputs metas;
  metas.reserve(inputs.size());
  for (const DenseTensor* input : inputs) {
    metas.push_back(input == nullptr ? MetaTensor() : MetaTensor(*input));
  }
  std::vector<MetaTensor> out_metas;
  out_metas.reserve(outputs.size());
  MetaOutputs out_pointers;
  for (DenseTensor* output : outputs) {
    out_metas.emplace_back(output);
    out_pointers.push_back(output == nullptr ? nullptr : &out_metas.back());
  }
  spec.infer_meta(metas, attrs, out_pointers);
}

phi::KernelNameMap& AdoptedKernels() {
  static phi::KernelNameMap kernels;
  return kernels;
}

const phi::Kernel& FindKernel(const OpSpec& spec, phi::DataType dtype) {
  static const phi::Kernel missing;
  const auto& kernels = spec.is_backward
                            ? AdoptedKernels()
                            : phi::KernelFactory::Instance().kernels();
  const phi::KernelKey key(
      phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, dtype);
  const auto by_name = kernels.find(spec.kernel);
  PADDLE_ENFORCE_EQ(
      by_name != kernels.end(),
      true,
      common::errors::NotFound("(%s) no kernel is registered.", spec.name));
  const auto found = by_name->second.find(key);
  const phi::Kernel& kernel =
      found == by_name->second.end() ? missing : found->second;
  PADDLE_ENFORCE_EQ(
      kernel.IsValid(),
      true,
      common::errors::Unimplemented("(%s) %s of dtype %s is not supported.",
                                    spec.name,
                                    spec.inputs[spec.dtype_input].name,
                                    phi::DataTypeToString(dtype)));
  return kernel;
}

}  // namespace

std::vector<DenseTensor> InferOutputs(const OpSpec& spec,
                                      const Inputs& inputs,
                                      const Attrs& attrs) {
  std::vector<DenseTensor> results(spec.outputs.size());
  Outputs outputs;
  for (DenseTensor& result : results) outputs.push_back(&result);
  InferMeta(spec, inputs, attrs, outputs);
  return results;
}

void AdoptGradientKernels(const OpSpec& spec) {
  auto& registered = phi::KernelFactory::Instance().kernels();
  const auto found = registered.find(spec.kernel);
  if (found == registered.end()) return;
  AdoptedKernels()[spec.kernel] = found->second;
  registered.erase(found);
}

void Run(const OpSpec& spec,
         const Inputs& inputs,
         const Attrs& attrs,
         const Outputs& outputs) {
  InferMeta(spec, inputs, attrs, outputs);
  const DenseTensor* dtype_from = inputs[spec.dtype_input];
  spec.run(FindKernel(spec, dtype_from->dtype()), inputs, attrs, outputs);
}

void RunInplace(const OpSpec& spec, const Inputs& inputs, const Attrs& attrs) {
  const DenseTensor* x = inputs[spec.inplace_input];
  const DenseTensor result = InferOutputs(spec, inputs, attrs)[0];
  PADDLE_ENFORCE_EQ(
      result.dims(),
      x->dims(),
      common::errors::InvalidArgument(
          "(%s_) the result must have the shape of %s, which is changed in "
          "place, [%s], but it would have the shape [%s].",
          spec.name,
          spec.inputs[spec.inplace_input].name,
          x->dims(),
          result.dims()));
  spec.run(FindKernel(spec, inputs[spec.dtype_input]->dtype()),
           inputs,
           attrs,
           {const_cast<DenseTensor*>(x)});
}

DenseTensor MetaOnly(const std::vector<int64_t>& shape, phi::DataType dtype) {
  DenseTensor tensor;
  MetaTensor meta(&tensor);
  meta.set_dims(common::make_ddim(shape));
  meta.set_dtype(dtype);
  return tensor;
}

const DenseTensor* AsContiguous(const DenseTensor& tensor, DenseTensor* copy) {
  if (tensor.meta().is_contiguous()) return &tensor;
  PD_VISIT_ALL_TYPES(tensor.dtype(), "AsContiguous", ([&] {
                       *copy = phi::Contiguous<data_t, phi::CPUContext>(
                           CpuContext(), tensor);
                     }));
  return copy;
}

phi::Scalar DecodeScalar(const std::vector<int64_t>& code) {
  if (code.size() != 3) return phi::Scalar(0.0);
  double re;
  double im;
  std::memcpy(&re, &code[1], sizeof(re));
  std::memcpy(&im, &code[2], sizeof(im));
  switch (code[0]) {
    case 0:
      return phi::Scalar(code[1] != 0);
    case 1:
      return phi::Scalar(code[1]);
    case 2:
      return phi::Scalar(re);
    default:
      return phi::Scalar(phi::dtype::complex<double>(re, im));
  }
}

// ---- custom operators

namespace {

bool IsScalar(const AttrSpec& attr) { return attr.type == AttrType::kScalar; }

// Where each attribute stands among the custom ones.
struct CustomOrder {
  std::vector<size_t> attrs;
  size_t zero_dim;
  size_t mode;

  explicit CustomOrder(const OpSpec& spec) : attrs(spec.attrs.size()) {
    size_t next = 0;
    for (size_t i = 0; i < spec.attrs.size(); ++i) {
      if (!IsScalar(spec.attrs[i])) attrs[i] = next++;
    }
    zero_dim = next++;
    mode = next++;
    for (size_t i = 0; i < spec.attrs.size(); ++i) {
      if (IsScalar(spec.attrs[i])) attrs[i] = next++;
    }
  }
};

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
    case AttrType::kInt64s:
      return paddle::any_cast<std::vector<int64_t>>(value);
    case AttrType::kScalar:
      return DecodeScalar(paddle::any_cast<std::vector<int64_t>>(value));
  }
  return false;
}

Attrs ConvertAttrs(const OpSpec& spec, const std::vector<paddle::any>& values) {
  const CustomOrder order(spec);
  Attrs attrs;
  for (size_t i = 0; i < spec.attrs.size(); ++i) {
    if (order.attrs[i] < values.size()) {
      attrs.push_back(ConvertAttr(spec.attrs[i], values[order.attrs[i]]));
    } else {
      attrs.push_back(phi::Scalar(0.0));
    }
  }
  return attrs;
}

std::string NamesAt(size_t i, const std::vector<paddle::any>& values) {
  return i < values.size() ? paddle::any_cast<std::string>(values[i]) : "";
}

// The forward Tensor that a custom name is about: x of x@GRAD@GRAD.
std::string_view BaseName(const char* custom_name) {
  const std::string_view name(custom_name);
  return name.substr(0, name.find('@'));
}

// `names` is a list with commas.
bool Holds(const std::string& names, std::string_view name) {
  if (names.empty()) return false;
  const std::string wanted = "," + std::string(name) + ",";
  return ("," + names + ",").find(wanted) != std::string::npos;
}

bool IsZeroDim(const std::string& names, const char* custom_name) {
  return Holds(names, BaseName(custom_name));
}

// The dygraph form replaces this input of a gradient by its shape.
bool IsShapeInput(const InputSpec& input, Form form) {
  return form == Form::kDygraph && !input.needs_buffer &&
         BaseName(input.custom_name) == input.custom_name;
}

// A plausible dtype for InferShape, which is not told the dtypes.
phi::DataType PlausibleDtype(const char* name) {
  const std::string_view base(name);
  if (base == "mask") return phi::DataType::BOOL;
  if (base == "index") return phi::DataType::INT64;
  return phi::DataType::FLOAT32;
}

DenseTensor* DensePointer(const OpSpec& spec,
                          const char* name,
                          const paddle::Tensor& tensor) {
  PADDLE_ENFORCE_EQ(tensor.is_dense_tensor(),
                    true,
                    common::errors::InvalidArgument(
                        "(%s) %s must be a dense Tensor.", spec.name, name));
  return static_cast<DenseTensor*>(tensor.impl().get());
}

// Something in the place of a gradient that nobody wants: an output without
// memory would be an error.
void FillUnwanted(DenseTensor* output, phi::DataType dtype) {
  output->Resize(common::make_ddim({0}));
  CpuContext().Alloc(output, dtype);
}

}  // namespace

DenseTensor ShapeCarrier(const DenseTensor& tensor) {
  Shape shape = common::vectorize<int64_t>(tensor.dims());
  shape.insert(shape.begin(), 0);
  DenseTensor carrier = MetaOnly(shape, tensor.dtype());
  CpuContext().Alloc(&carrier, tensor.dtype());
  return carrier;
}

// The Tensors of one custom call, as the YAML entry has them.
class CustomCall {
 public:
  CustomCall(const OpSpec& spec,
             Form form,
             paddle::CustomOpKernelContext* context)
      : spec_(spec), tensors_(spec.inputs.size()) {
    const CustomOrder order(spec);
    const std::vector<paddle::any>& values = context->Attrs();
    attrs_ = ConvertAttrs(spec, values);
    zero_dim_ = NamesAt(order.zero_dim, values);
    mode_ = NamesAt(order.mode, values);
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
      ReadInput(i, form, context->InputAt(range.first));
    }
    for (size_t i = 0; i < spec.outputs.size(); ++i) {
      outputs_.push_back(DensePointer(
          spec,
          spec.outputs[i].name,
          *context->MutableOutputAt(context->OutputRangeAt(i).first)));
    }
  }

  void Run() {
    if (spec_.inplace_input >= 0 && Holds(mode_, "inplace")) {
      RunInplace(spec_, inputs_, attrs_);
      *outputs_[0] = *inputs_[spec_.inplace_input];
      return;
    }
    Outputs wanted = outputs_;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (Holds(mode_, spec_.outputs[i].custom_name)) wanted[i] = nullptr;
    }
    native_ops::Run(spec_, inputs_, attrs_, wanted);
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == nullptr) {
        FillUnwanted(outputs_[i], inputs_[spec_.dtype_input]->dtype());
      } else if (IsZeroDim(zero_dim_, spec_.outputs[i].custom_name)) {
        outputs_[i]->Resize(common::make_ddim({1}));
      }
    }
  }

 private:
  void ReadInput(size_t i, Form form, const paddle::Tensor& tensor) {
    const InputSpec& input = spec_.inputs[i];
    if (!tensor.initialized() && input.optional) {
      inputs_.push_back(nullptr);
      return;
    }
    tensors_[i] = *DensePointer(spec_, input.name, tensor);
    if (IsShapeInput(input, form)) {
      Shape shape = common::vectorize<int64_t>(tensors_[i].dims());
      // A forward call has the Tensor itself here.
      if (spec_.is_backward) shape.erase(shape.begin());
      tensors_[i] = MetaOnly(shape, tensors_[i].dtype());
    }
    if (IsZeroDim(zero_dim_, input.custom_name)) {
      tensors_[i].Resize(common::make_ddim({}));
    }
    inputs_.push_back(&tensors_[i]);
  }

  const OpSpec& spec_;
  std::vector<DenseTensor> tensors_;
  Attrs attrs_;
  std::string zero_dim_;
  std::string mode_;
  Inputs inputs_;
  Outputs outputs_;
};

namespace {

GuardThirdOrder guard_third_order = nullptr;

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

void SetGuardThirdOrder(GuardThirdOrder guard) { guard_third_order = guard; }

void RunCustom(const OpSpec& spec,
               Form form,
               paddle::CustomOpKernelContext* context) {
  CustomCall(spec, form, context).Run();
  if (!spec.is_last || form != Form::kDygraph || !guard_third_order) return;
  std::vector<paddle::Tensor> inputs;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    inputs.push_back(context->InputAt(context->InputRangeAt(i).first));
  }
  for (size_t i = 0; i < spec.outputs.size(); ++i) {
    guard_third_order(
        inputs, context->MutableOutputAt(context->OutputRangeAt(i).first));
  }
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
  for (const ExtraOutput& extra : spec.extra_outputs) {
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      if (BaseName(extra.custom_name) == spec.inputs[i].custom_name) {
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

namespace {

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
    case AttrType::kInt64s:
    case AttrType::kScalar:
      return "std::vector<int64_t>";
  }
  return "";
}

std::vector<std::string> CustomAttrs(const OpSpec& spec) {
  const CustomOrder order(spec);
  std::vector<std::string> attrs(spec.attrs.size() + 2);
  for (size_t i = 0; i < spec.attrs.size(); ++i) {
    attrs[order.attrs[i]] = std::string(spec.attrs[i].name) + ": " +
                            CustomAttrType(spec.attrs[i].type);
  }
  attrs[order.zero_dim] = "zero_dim: std::string";
  attrs[order.mode] = "mode: std::string";
  return attrs;
}

}  // namespace

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
    for (const char* name : forward.shape_inputs) {
      inputs.push_back(std::string(name) + "_shape");
    }
  }
  std::vector<std::string> outputs;
  for (const OutputSpec& output : spec.outputs) {
    outputs.push_back(output.custom_name);
  }
  for (const ExtraOutput& extra : spec.extra_outputs) {
    if (!dygraph || extra.in_dygraph) outputs.push_back(extra.custom_name);
  }
  const char* suffix = dygraph ? "_dygraph" : "";
  paddle::OpMetaInfoBuilder(std::string(forward.name) + suffix, order)
      .Inputs(std::move(inputs))
      .Outputs(std::move(outputs))
      .Attrs(CustomAttrs(forward))
      .SetKernelFn(functions.kernel)
      .SetInferShapeFn(functions.shape)
      .SetInferDtypeFn(functions.dtype)
      .SetInferSpmdFn(functions.spmd);
}

}  // namespace native_ops
