// Custom operators for static graphs and distributed tensors: Paddle's custom
// operator calls, turned into runs of an Entry.
#include <cstring>

#include "paddle/phi/api/ext/spmd_infer.h"
#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/core/distributed/auto_parallel/dist_attr.h"
#include "paddle/phi/core/distributed/auto_parallel/dist_meta_tensor.h"
#include "runtime.h"

namespace native_glue {

namespace {

bool IsZeroDim(const CustomTensor& tensor, int64_t bits) {
  return tensor.zero_bit != kNone && ((bits >> tensor.zero_bit) & 1) != 0;
}

template <typename T>
AttrValue Unpack(const paddle::any& value) {
  return paddle::any_cast<T>(value);
}

AttrValue UnpackAttr(AttrKind kind, const paddle::any& value) {
  switch (kind) {
    case AttrKind::kBool:
      return Unpack<bool>(value);
    case AttrKind::kInt:
      return Unpack<int>(value);
    case AttrKind::kInt64:
      return Unpack<int64_t>(value);
    case AttrKind::kFloat:
      return Unpack<float>(value);
    case AttrKind::kString:
      return Unpack<std::string>(value);
    case AttrKind::kScalar:
      return DecodeScalar(paddle::any_cast<std::vector<int64_t>>(value));
    default:
      return Unpack<std::vector<int64_t>>(value);
  }
}

// What a legacy program leaves out of shape inference.
AttrValue MissingAttr(AttrKind kind) {
  if (kind == AttrKind::kScalar) return phi::Scalar(0.0);
  return std::vector<int64_t>();
}

size_t ForwardAttr(const CustomOp& op, const char* name) {
  const auto& attrs = op.forward->attrs;
  size_t i = 0;
  while (i < attrs.size() && std::string(attrs[i].name) != name) ++i;
  return i;
}

// Fills the call's attributes; returns the bits of the 0-D tensors.
int64_t ReadAttrs(const CustomOp& op, const AnyAttrs& values, Call* call) {
  const AttrOrder order = CustomAttrOrder(*op.forward);
  for (size_t i = 0; i < op.entry->attrs.size(); ++i) {
    const AttrSpec& spec = op.entry->attrs[i];
    const size_t at = order.position[ForwardAttr(op, spec.name)];
    try {
      call->attrs[i] = at < values.size() ? UnpackAttr(spec.kind, values[at])
                                          : MissingAttr(spec.kind);
    } catch (const paddle::bad_any_cast&) {
      PADDLE_THROW(common::errors::InvalidType(
          "(%s) attribute %s has the wrong type in the program.",
          op.entry->name,
          spec.name));
    }
  }
  return order.zero_dims < values.size()
             ? UnpackZeroDims(
                   paddle::any_cast<int64_t>(values[order.zero_dims]))
             : 0;
}

const DenseTensor* AsDense(const CustomOp& op,
                           size_t i,
                           const paddle::Tensor& tensor) {
  if (!tensor.impl()) return nullptr;
  const char* name = op.entry->inputs[i].name;
  PADDLE_ENFORCE_EQ(tensor.is_dense_tensor(),
                    true,
                    common::errors::InvalidArgument(
                        "(%s) %s must be a dense Tensor.",
                        op.entry->name,
                        name));
  const auto* dense = static_cast<const DenseTensor*>(tensor.impl().get());
  if (!dense->has_allocation()) {
    return dense->valid() && dense->numel() == 0 ? dense : nullptr;
  }
  PADDLE_ENFORCE_EQ(
      dense->place().GetType() == phi::AllocationType::CPU,
      true,
      common::errors::Unimplemented(
          "(%s) %s must be on the CPU, but received a Tensor on %s.",
          op.entry->name,
          name,
          dense->place()));
  return dense;
}

// A gradient that nobody computed: zeros.
DenseTensor Zeros(const DenseTensor& like) {
  DenseTensor out;
  MetaTensor meta(&out);
  meta.set_dims(like.dims());
  meta.set_dtype(like.dtype());
  static auto* context = phi::DeviceContextPool::Instance().Get(
      phi::CPUPlace());
  void* data = context->Alloc(&out, like.dtype());
  const size_t bytes = out.numel() * phi::SizeOf(like.dtype());
  if (bytes > 0) std::memset(data, 0, bytes);
  return out;
}

void ReadInputs(const CustomOp& op,
                const paddle::CustomOpKernelContext& ctx,
                int64_t bits,
                Call* call) {
  call->keep.reserve(2 * kMaxTensors);
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const auto& range = ctx.InputRangeAt(i);
    if (range.first == range.second) continue;
    call->in[i] = AsDense(op, i, ctx.InputAt(range.first));
    if (call->in[i] && IsZeroDim(op.inputs[i], bits)) {
      call->keep.push_back(*call->in[i]);
      call->keep.back().Resize(common::make_ddim({}));
      call->in[i] = &call->keep.back();
    }
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const int like = op.inputs[i].zeros_like;
    if (call->in[i] || op.entry->inputs[i].optional || like == kNone) continue;
    if (call->in[like] == nullptr) continue;
    call->keep.push_back(Zeros(*call->in[like]));
    call->in[i] = &call->keep.back();
  }
}

// Legal dtypes for shape inference, which is not told the real ones. The
// argument's name says what it holds.
phi::DataType LikelyDtype(const std::string& name) {
  if (name == "mask" || name == "condition") return phi::DataType::BOOL;
  if (name == "index" || name == "indices") return phi::DataType::INT64;
  return phi::DataType::FLOAT32;
}

DenseTensor MetaOnly(const std::vector<int64_t>& dims, phi::DataType dtype) {
  DenseTensor tensor;
  MetaTensor meta(&tensor);
  meta.set_dims(common::make_ddim(dims));
  meta.set_dtype(dtype);
  return tensor;
}

const char* CustomAttrType(AttrKind kind) {
  static const char* const types[] = {"bool",
                                      "int",
                                      "int64_t",
                                      "float",
                                      "std::string",
                                      "std::vector<int64_t>",
                                      "std::vector<int64_t>"};
  return types[static_cast<size_t>(kind)];
}

std::vector<std::string> CustomAttrs(const Entry& forward) {
  std::vector<std::string> attrs;
  for (const int i : CustomAttrOrder(forward).at) {
    attrs.push_back(i == kNone
                        ? std::string(kZeroDims) + ": int64_t"
                        : std::string(forward.attrs[i].name) + ": " +
                              CustomAttrType(forward.attrs[i].kind));
  }
  return attrs;
}

std::vector<std::string> InputNames(const CustomOp& op) {
  std::vector<std::string> names;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const std::string& name = op.inputs[i].name;
    // A gradient that is missing arrives as an undefined Tensor, not as an
    // absent one.
    const bool absent = op.entry->inputs[i].optional &&
                        name.find('@') == std::string::npos;
    names.push_back(absent ? paddle::Optional(name) : name);
  }
  return names;
}

std::vector<std::string> OutputNames(const CustomOp& op) {
  std::vector<std::string> names;
  for (const auto& tensor : op.outputs) names.push_back(tensor.name);
  return names;
}

phi::distributed::TensorDistAttr Replicated(
    const phi::distributed::TensorDistAttr& like, size_t rank) {
  phi::distributed::TensorDistAttr attr = like;
  attr.clean_partial_status();
  attr.set_dims_mapping(std::vector<int64_t>(rank, -1));
  return attr;
}

}  // namespace

void RunCustomOp(const CustomOp& op, paddle::CustomOpKernelContext* ctx) {
  Call call(*op.entry);
  const int64_t bits = ReadAttrs(op, ctx->Attrs(), &call);
  ReadInputs(op, *ctx, bits, &call);
  const size_t outputs = op.entry->outputs.size();
  for (size_t i = 0; i < outputs; ++i) {
    const auto at = ctx->OutputRangeAt(i).first;
    call.out[i] =
        static_cast<DenseTensor*>(ctx->MutableOutputAt(at)->impl().get());
  }
  PrepareInputs(&call);
  InferMeta(&call);
  RunKernel(&call);
  for (size_t i = 0; i < outputs; ++i) {
    if (IsZeroDim(op.outputs[i], bits)) {
      call.out[i]->Resize(common::make_ddim({1}));
    }
  }
}

Dims CustomDims(const CustomOp& op, const Dims& in, const AnyAttrs& attrs) {
  const Entry& entry = *op.entry;
  Call call(entry);
  call.is_runtime = false;
  const int64_t bits = ReadAttrs(op, attrs, &call);
  call.keep.reserve(2 * kMaxTensors);
  for (size_t i = 0; i < entry.inputs.size() && i < in.size(); ++i) {
    const bool zero_dim = IsZeroDim(op.inputs[i], bits);
    call.keep.push_back(MetaOnly(zero_dim ? std::vector<int64_t>() : in[i],
                                 LikelyDtype(op.inputs[i].name)));
    call.in[i] = &call.keep.back();
  }
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    call.keep.emplace_back();
    call.out[i] = &call.keep.back();
  }
  InferMeta(&call);
  Dims dims;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (i >= entry.outputs.size()) {
      dims.push_back(in[op.outputs[i].zeros_like]);
    } else if (IsZeroDim(op.outputs[i], bits)) {
      dims.push_back({1});
    } else {
      dims.push_back(common::vectorize<int64_t>(call.out[i]->dims()));
    }
  }
  return dims;
}

// Every output of these operators has the dtype that chooses the kernel.
Dtypes CustomDtypes(const CustomOp& op, const Dtypes& in) {
  return Dtypes(op.outputs.size(), in[op.entry->dtype_input]);
}

phi::distributed::SpmdInfo ReplicateAll(
    const CustomOp& op,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const AnyAttrs& attrs) {
  using phi::distributed::DistMetaTensor;
  phi::distributed::SpmdInfo info;
  Dims dims;
  for (const auto& input : inputs) {
    const auto& tensor = PADDLE_GET_CONST(DistMetaTensor, input);
    dims.push_back(common::vectorize<int64_t>(tensor.dims()));
    info.first.push_back(Replicated(tensor.dist_attr(), dims.back().size()));
  }
  const auto& like = PADDLE_GET_CONST(DistMetaTensor, inputs[0]).dist_attr();
  for (const auto& out : CustomDims(op, dims, attrs)) {
    info.second.push_back(Replicated(like, out.size()));
  }
  return info;
}

void RegisterCustomOp(const CustomOp& op, const CustomFnTable& fns) {
  paddle::OpMetaInfoBuilder(std::string(op.forward->name), op.order)
      .Inputs(InputNames(op))
      .Outputs(OutputNames(op))
      .Attrs(CustomAttrs(*op.forward))
      .SetKernelFn(fns.kernel)
      .SetInferShapeFn(fns.shape)
      .SetInferDtypeFn(fns.dtype)
      .SetInferSpmdFn(fns.spmd);
}

}  // namespace native_glue
