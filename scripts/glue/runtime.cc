// Runs one entry: input checks, InferMeta, kernel lookup and call.
#include "runtime.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/core/kernel_factory.h"

namespace native_glue {

namespace {

const phi::CPUContext& CpuContext() {
  static const auto* context = static_cast<const phi::CPUContext*>(
      phi::DeviceContextPool::Instance().Get(phi::CPUPlace()));
  return *context;
}

phi::KernelKey CpuKey(phi::DataType dtype) {
  return {phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, dtype};
}

std::string SupportedDtypes(const char* kernel) {
  const auto& kernels = phi::KernelFactory::Instance().kernels();
  const auto found = kernels.find(kernel);
  std::vector<phi::DataType> dtypes;
  if (found != kernels.end()) {
    for (const auto& item : found->second) {
      if (item.first.backend() == phi::Backend::CPU) {
        dtypes.push_back(item.first.dtype());
      }
    }
  }
  std::sort(dtypes.begin(), dtypes.end());
  std::ostringstream text;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    text << (i ? ", " : "") << phi::DataTypeToString(dtypes[i]);
  }
  return text.str();
}

void* FindKernel(const char* op,
                 const char* kernel,
                 const char* argument,
                 phi::DataType dtype) {
  auto& factory = phi::KernelFactory::Instance();
  if (!factory.HasKernel(kernel, CpuKey(dtype))) {
    PADDLE_THROW(common::errors::Unimplemented(
        "(%s) %s must have a dtype that the CPU kernel supports (%s), but "
        "received %s.",
        op,
        argument,
        SupportedDtypes(kernel),
        phi::DataTypeToString(dtype)));
  }
  return factory.SelectKernel(kernel, CpuKey(dtype))
      .GetVariadicKernelFn<void*>();
}

// The tensor that names the dtype, or the first one given if that is missing.
size_t DtypeInput(const Call& call) {
  const Entry& entry = call.entry;
  if (call.in[entry.dtype_input]) return entry.dtype_input;
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    if (call.in[i]) return i;
  }
  PADDLE_THROW(common::errors::InvalidArgument(
      "(%s) %s is needed to choose the kernel, but received None.",
      entry.name,
      entry.inputs[entry.dtype_input].name));
}

void* CachedKernel(const Call& call) {
  const Entry& entry = call.entry;
  const size_t input = DtypeInput(call);
  const phi::DataType dtype = call.in[input]->dtype();
  const auto slot = static_cast<size_t>(dtype);
  if (slot >= entry.cache->size()) {
    return FindKernel(entry.name, entry.kernel, entry.inputs[input].name,
                      dtype);
  }
  auto& cached = (*entry.cache)[slot];
  void* kernel = cached.load(std::memory_order_acquire);
  if (kernel == nullptr) {
    kernel = FindKernel(
        entry.name, entry.kernel, entry.inputs[input].name, dtype);
    cached.store(kernel, std::memory_order_release);
  }
  return kernel;
}

DenseTensor MakeContiguous(const DenseTensor& input) {
  using Fn =
      void (*)(const phi::CPUContext&, const DenseTensor&, DenseTensor*);
  void* kernel =
      FindKernel("contiguous", "contiguous", "input", input.dtype());
  DenseTensor out;
  MetaTensor meta(&out);
  meta.set_dims(input.dims());
  meta.set_dtype(input.dtype());
  KernelFn<Fn>(kernel)(CpuContext(), input, &out);
  return out;
}

// Some InferMeta functions share the whole meta of an input, strides included,
// but a kernel writes a contiguous output.
void DropStrides(DenseTensor* out) {
  if (!out->meta().is_contiguous()) {
    out->set_strides(phi::DenseTensorMeta::calc_strides(out->dims()));
  }
}

void CallKernel(const Call& call) {
  call.entry.call_kernel(CachedKernel(call),
                         KernelArgs{CpuContext(),
                                    call.in.data(),
                                    call.attrs.data(),
                                    call.out.data()});
}

void CheckInplaceMeta(const Entry& entry,
                      const DenseTensor& target,
                      const DenseTensor& result) {
  const char* name = entry.inputs[entry.inplace_input].name;
  PADDLE_ENFORCE_EQ(
      result.dims(),
      target.dims(),
      common::errors::InvalidArgument(
          "(%s_) the result must have the shape of %s, which is written in "
          "place, but the result has shape [%s] and %s has shape [%s].",
          entry.name,
          name,
          result.dims(),
          name,
          target.dims()));
  PADDLE_ENFORCE_EQ(
      result.dtype(),
      target.dtype(),
      common::errors::InvalidArgument(
          "(%s_) the result must have the dtype of %s, which is written in "
          "place, but the result is %s and %s is %s.",
          entry.name,
          name,
          phi::DataTypeToString(result.dtype()),
          name,
          phi::DataTypeToString(target.dtype())));
}

}  // namespace

std::vector<const Entry*>& Entries() {
  static std::vector<const Entry*> entries;
  return entries;
}

int RegisterEntry(const Entry* entry) {
  Entries().push_back(entry);
  return static_cast<int>(Entries().size());
}

void PrepareInputs(Call* call) {
  const auto& specs = call->entry.inputs;
  // `in` points into `keep`, so it must not move.
  call->keep.reserve(call->keep.size() + specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    const DenseTensor* tensor = call->in[i];
    if (tensor == nullptr) {
      PADDLE_ENFORCE_EQ(specs[i].optional,
                        true,
                        common::errors::InvalidArgument(
                            "(%s) %s must be a Tensor, but received None.",
                            call->entry.name,
                            specs[i].name));
      continue;
    }
    if (!specs[i].needs_buffer || tensor->numel() == 0) continue;
    PADDLE_ENFORCE_EQ(
        tensor->initialized(),
        true,
        common::errors::PreconditionNotMet(
            "(%s) %s must hold data, but received a Tensor of shape [%s] "
            "without memory.",
            call->entry.name,
            specs[i].name,
            tensor->dims()));
    if (!tensor->meta().is_contiguous()) {
      call->keep.push_back(MakeContiguous(*tensor));
      call->in[i] = &call->keep.back();
    }
  }
}

void InferMeta(Call* call) {
  const Entry& entry = call->entry;
  std::array<MetaTensor, kMaxTensors> in;
  std::array<MetaTensor, kMaxTensors> out;
  std::array<MetaTensor*, kMaxTensors> out_ptrs{};
  for (size_t i = 0; i < entry.inputs.size(); ++i) {
    if (call->in[i]) in[i] = MetaTensor(*call->in[i]);
  }
  for (size_t i = 0; i < entry.outputs.size(); ++i) {
    if (call->out[i] == nullptr) continue;
    out[i] = MetaTensor(call->out[i]);
    out_ptrs[i] = &out[i];
  }
  entry.infer_meta(
      {in.data(), call->attrs.data(), out_ptrs.data(), call->is_runtime});
}

void RunKernel(Call* call) {
  for (size_t i = 0; i < call->entry.outputs.size(); ++i) {
    if (call->out[i]) DropStrides(call->out[i]);
  }
  CallKernel(*call);
}

void RunInplace(Call* call, DenseTensor* target) {
  const Entry& entry = call->entry;
  PADDLE_ENFORCE_EQ(
      target->numel() == 0 || target->meta().is_contiguous(),
      true,
      common::errors::InvalidArgument(
          "(%s_) %s must be contiguous to be written in place, but received "
          "strides [%s] for shape [%s].",
          entry.name,
          entry.inputs[entry.inplace_input].name,
          target->strides(),
          target->dims()));
  PrepareInputs(call);
  DenseTensor result;
  call->out[entry.inplace_output] = &result;
  InferMeta(call);
  CheckInplaceMeta(entry, *target, result);
  call->out[entry.inplace_output] = target;
  CallKernel(*call);
}

std::vector<int64_t> EncodeScalar(const phi::Scalar& value) {
  double parts[2] = {0.0, 0.0};
  switch (value.dtype()) {
    case phi::DataType::BOOL:
      return {0, value.to<bool>(), 0};
    case phi::DataType::INT64:
      return {1, value.to<int64_t>(), 0};
    case phi::DataType::COMPLEX128: {
      const auto number = value.to<phi::complex128>();
      parts[0] = number.real;
      parts[1] = number.imag;
      break;
    }
    default:
      parts[0] = value.to<double>();
  }
  int64_t bits[2];
  std::memcpy(bits, parts, sizeof(bits));
  return {value.dtype() == phi::DataType::COMPLEX128 ? 3 : 2, bits[0], bits[1]};
}

phi::Scalar DecodeScalar(const std::vector<int64_t>& code) {
  PADDLE_ENFORCE_EQ(code.size(),
                    3UL,
                    common::errors::InvalidArgument(
                        "A Scalar attribute must be {kind, real bits, "
                        "imaginary bits}, but received %d numbers.",
                        code.size()));
  double parts[2];
  std::memcpy(parts, &code[1], sizeof(parts));
  switch (code[0]) {
    case 0:
      return phi::Scalar(code[1] != 0);
    case 1:
      return phi::Scalar(code[1]);
    case 2:
      return phi::Scalar(parts[0]);
    case 3:
      return phi::Scalar(phi::complex128(parts[0], parts[1]));
    default:
      PADDLE_THROW(common::errors::InvalidArgument(
          "A Scalar attribute must be of kind 0 to 3, but received %d.",
          code[0]));
  }
}

AttrOrder CustomAttrOrder(const Entry& forward) {
  const auto is_vector = [](const AttrSpec& attr) {
    return attr.kind == AttrKind::kScalar || attr.kind == AttrKind::kInt64s;
  };
  AttrOrder order;
  order.position.resize(forward.attrs.size());
  for (size_t i = 0; i < forward.attrs.size(); ++i) {
    if (is_vector(forward.attrs[i])) continue;
    order.position[i] = order.at.size();
    order.at.push_back(static_cast<int>(i));
  }
  order.zero_dims = order.at.size();
  order.at.push_back(kNone);
  for (size_t i = 0; i < forward.attrs.size(); ++i) {
    if (!is_vector(forward.attrs[i])) continue;
    order.position[i] = order.at.size();
    order.at.push_back(static_cast<int>(i));
  }
  return order;
}

}  // namespace native_glue
