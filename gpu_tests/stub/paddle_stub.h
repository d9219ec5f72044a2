// Stubs of the parts of Paddle that require its GPU build: Tensors, the
// context, CUDA errors and the kernel registry. The headers of common/,
// phi/common/ and utils/ are the wheel's. build.py generates headers with
// Paddle's names that include this one.

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
// For device code: prints the message and traps, as in Paddle.
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

// ---- phi/core/: a Tensor that owns its memory or borrows the caller's -------
class DenseTensor {
 public:
  DenseTensor() = default;
  DenseTensor(uintptr_t address,
              const std::string& dtype,
              const std::vector<int64_t>& dims)
      : data_(reinterpret_cast<void*>(address)),
        dtype_(StringToDataType(dtype)),
        dims_(common::make_ddim(dims)),
        capacity_(Bytes()) {}

  const DDim& dims() const { return dims_; }
  int64_t numel() const { return product(dims_); }
  DataType dtype() const { return dtype_; }
  void Resize(const DDim& dims) { dims_ = dims; }
  bool initialized() const { return data_ != nullptr; }
  int64_t capacity() const { return capacity_; }

  // Throws if there is no data: the Tensor is empty, or the operator declares
  // no_need_buffer for it.
  const void* data() const {
    if (data_ != nullptr) return data_;
    PADDLE_THROW(common::errors::PreconditionNotMet("The data is null."));
  }
  template <typename T>
  const T* data() const {
    CheckDtype(CppTypeToDataType<T>::Type());
    return static_cast<const T*>(data());
  }

  // Returns memory for dims() elements of `dtype`. Throws if the memory of the
  // caller is too small.
  void* Allocate(DataType dtype, gpuStream_t stream) {
    const bool is_callers = data_ != nullptr && owner_ == nullptr;
    if (is_callers) CheckDtype(dtype);
    dtype_ = dtype;
    if (data_ != nullptr && Bytes() <= capacity_) return data_;
    if (is_callers) {
      PADDLE_THROW(
          common::errors::PreconditionNotMet("An output is too small."));
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
    PADDLE_THROW(
        common::errors::InvalidArgument("A Tensor has another dtype."));
  }

  void* data_ = nullptr;
  DataType dtype_ = DataType::UNDEFINED;
  DDim dims_{0};
  int64_t capacity_ = 0;
  std::shared_ptr<void> owner_;  // null if the caller owns the memory
};

struct Place {};

class GPUContext {
 public:
  explicit GPUContext(uintptr_t stream)
      : stream_(reinterpret_cast<gpuStream_t>(stream)) {}

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

// ---- phi/core/kernel_registry.h: registers functions of a Python module -----
inline std::vector<std::function<void(pybind11::module_*)>> registry;

// Registers KernelOf<T>::kCall as "<name> <dtype>" for each type.
template <template <typename> class KernelOf, typename... Types>
bool RegisterKernel(const std::string& name) {
  const auto define = [&](DataType dtype, auto call) {
    const std::string key = name + ' ' + DataTypeToString(dtype);
    registry.push_back([=](auto* module) { module->def(key.c_str(), call); });
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

// Converts None to an empty optional.
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
