// Stubs of the parts of Paddle that only its GPU build has: Tensors, the
// context, CUDA's errors and the registry. The rest is the wheel's: common/,
// phi/common/ and utils/. build.py writes headers with Paddle's names that
// include this one.

#pragma once

#include <cuda_runtime_api.h>
#include <pybind11/pybind11.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "paddle/common/enforce.h"
#include "paddle/phi/common/data_type.h"
#include "paddle/phi/core/ddim.h"
#include "paddle/utils/optional.h"

#ifdef __CUDACC__
#include <cub/cub.cuh>
#else
#include "cub.h"
#endif

// ---- phi/core/enforce.h -----------------------------------------------------
// In kernels, as in Paddle: prints the message and traps.
#define PADDLE_ENFORCE(condition, format, ...) \
  if (!(condition)) {                          \
    printf(format "\n", ##__VA_ARGS__);        \
    __trap();                                  \
  }

#define PADDLE_ENFORCE_GPU_SUCCESS(call)                        \
  if (const cudaError_t status = (call); status != cudaSuccess) \
  PADDLE_THROW(                                                 \
      common::errors::External("%s: %s", #call, cudaGetErrorString(status)))

namespace phi {

// ---- phi/backends/gpu/ ------------------------------------------------------
using gpuStream_t = cudaStream_t;
constexpr auto gpuMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;

namespace backends::gpu {

inline cudaError_t GpuGetLastError() { return cudaGetLastError(); }
inline void GpuMemsetAsync(void* data, int byte, size_t n, gpuStream_t stream) {
  PADDLE_ENFORCE_GPU_SUCCESS(cudaMemsetAsync(data, byte, n, stream));
}
inline void GpuMemcpyAsync(
    void* to, const void* from, size_t n, cudaMemcpyKind kind, gpuStream_t s) {
  PADDLE_ENFORCE_GPU_SUCCESS(cudaMemcpyAsync(to, from, n, kind, s));
}

}  // namespace backends::gpu

// ---- phi/core/: a Tensor in the caller's memory, or in its own --------------
class DenseTensor {
 public:
  DenseTensor() = default;
  DenseTensor(void* data, DataType dtype, const DDim& dims)
      : data_(data), dtype_(dtype), dims_(dims), capacity_(Bytes()) {}

  const DDim& dims() const { return dims_; }
  int64_t numel() const { return product(dims_); }
  DataType dtype() const { return dtype_; }
  bool initialized() const { return data_ != nullptr; }
  void Resize(const DDim& dims) { dims_ = dims; }

  // Releases the memory: the next Alloc takes other memory.
  void clear() {
    data_ = nullptr;
    owner_ = nullptr;
  }

  // Throws without data: a Tensor without elements, or one that the operator
  // has declared with no_need_buffer.
  const void* data() const {
    if (data_ != nullptr) return data_;
    PADDLE_THROW(common::errors::PreconditionNotMet(
        "the tensor of shape [%s] has no data", dims_));
  }
  template <typename T>
  const T* data() const {
    CheckDtype(CppTypeToDataType<T>::Type());
    return static_cast<const T*>(data());
  }

  // Memory for dims() of `dtype`.
  void* Allocate(DataType dtype, gpuStream_t stream) {
    const bool is_callers = data_ != nullptr && owner_ == nullptr;
    if (is_callers) CheckDtype(dtype);
    dtype_ = dtype;
    if (data_ != nullptr && Bytes() <= capacity_) return data_;
    if (is_callers) {
      PADDLE_THROW(common::errors::PreconditionNotMet(
          "an output of %d bytes is too small for %d", capacity_, Bytes()));
    }
    capacity_ = Bytes();
    data_ = nullptr;
    if (capacity_ > 0) {
      PADDLE_ENFORCE_GPU_SUCCESS(cudaMallocAsync(&data_, capacity_, stream));
    }
    owner_ = std::shared_ptr<void>(data_, [stream](void* released) {
      if (released != nullptr) (void)cudaFreeAsync(released, stream);
    });
    return data_;
  }

 private:
  int64_t Bytes() const { return numel() * SizeOf(dtype_); }
  void CheckDtype(DataType dtype) const {
    if (dtype == dtype_) return;
    PADDLE_THROW(common::errors::InvalidArgument(
        "a tensor of %s is used as %s", dtype_, dtype));
  }

  void* data_ = nullptr;
  DataType dtype_ = DataType::UNDEFINED;
  DDim dims_{0};
  int64_t capacity_ = 0;
  std::shared_ptr<void> owner_;  // null if the memory is the caller's
};

struct Place {};

class GPUContext {
 public:
  explicit GPUContext(gpuStream_t stream) : stream_(stream) {}

  gpuStream_t stream() const { return stream_; }
  Place GetPlace() const { return {}; }
  template <typename T>
  T* Alloc(DenseTensor* tensor) const {
    return static_cast<T*>(
        tensor->Allocate(CppTypeToDataType<T>::Type(), stream_));
  }

 private:
  gpuStream_t stream_;
};

inline void Copy(const GPUContext& dev_ctx,
                 const DenseTensor& from,
                 Place,
                 bool /*blocking*/,
                 DenseTensor* to) {
  to->Resize(from.dims());
  void* data = to->Allocate(from.dtype(), dev_ctx.stream());
  const size_t bytes = from.numel() * SizeOf(from.dtype());
  backends::gpu::GpuMemcpyAsync(
      data, from.data(), bytes, gpuMemcpyDeviceToDevice, dev_ctx.stream());
}

// ---- phi/core/kernel_registry.h: functions of a Python module ---------------
inline auto& Registry() {
  static std::vector<std::function<void(pybind11::module_*)>> registry;
  return registry;
}

// Registers KernelOf<T>::kCall as "name dtype" for each of the types.
template <template <typename> class KernelOf, typename... Types>
bool RegisterKernel(const std::string& name) {
  const auto define = [&](DataType dtype, auto call) {
    const std::string key = name + ' ' + DataTypeToString(dtype);
    Registry().push_back([=](auto* module) { module->def(key.c_str(), call); });
  };
  (define(CppTypeToDataType<Types>::Type(), KernelOf<Types>::kCall), ...);
  return true;
}

struct Kernel {
  struct Operand {
    void SetDataType(DataType) {}
  };
  Operand InputAt(int) { return {}; }
};

}  // namespace phi

// None is an optional Tensor that is absent.
template <>
struct pybind11::detail::type_caster<paddle::optional<phi::DenseTensor>> {
  PYBIND11_TYPE_CASTER(paddle::optional<phi::DenseTensor>,
                       const_name("Tensor"));

  bool load(handle source, bool convert) {
    if (source.is_none()) return true;
    make_caster<phi::DenseTensor> tensor;
    if (!tensor.load(source, convert)) return false;
    value = cast_op<phi::DenseTensor&>(tensor);
    return true;
  }
};

#define PD_REGISTER_KERNEL(name, backend, layout, function, ...) \
  template <typename T>                                          \
  struct Kernel_##name {                                         \
    static constexpr auto kCall = &function<T, phi::GPUContext>; \
  };                                                             \
  static const bool registered_##name =                          \
      phi::RegisterKernel<Kernel_##name, __VA_ARGS__>(#name);    \
  [[maybe_unused]] static void Describe_##name(phi::Kernel* kernel)
