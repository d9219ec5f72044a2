// Stubs of the parts of Paddle that the GPU kernels use. build.py writes
// headers with Paddle's names that include this one.

#pragma once

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef __CUDACC__
#include <cub/cub.cuh>
#define HOSTDEVICE __host__ __device__
#else
#define HOSTDEVICE
#endif

// ---- common/: dims and errors -----------------------------------------------
namespace common {

class DDim {
 public:
  static constexpr int kMaxRank = 9;

  DDim() = default;
  explicit DDim(std::vector<int64_t> dims) : dims_(std::move(dims)) {
    if (size() > kMaxRank) throw std::invalid_argument("more than 9 dims");
  }

  int size() const { return static_cast<int>(dims_.size()); }
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t& operator[](int i) { return dims_[i]; }
  bool operator==(const DDim& other) const { return dims_ == other.dims_; }
  const std::vector<int64_t>& all() const { return dims_; }

 private:
  std::vector<int64_t> dims_;
};

inline DDim make_ddim(const std::vector<int64_t>& dims) { return DDim(dims); }
inline std::vector<int64_t> vectorize(const DDim& dims) { return dims.all(); }

inline int64_t product(const DDim& dims) {
  int64_t result = 1;
  for (int64_t dim : dims.all()) result *= dim;
  return result;
}

inline DDim slice_ddim(const DDim& dims, int begin, int end) {
  const auto first = dims.all().begin();
  return make_ddim({first + begin, first + end});
}

inline std::ostream& operator<<(std::ostream& out, const DDim& dims) {
  for (int i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  return out;
}

namespace errors {

// Each directive of `format` takes the next argument as a stream prints it.
template <typename... Args>
std::string Format(const char* format, const Args&... args) {
  std::ostringstream out;
  [[maybe_unused]] const auto put = [&](const auto& argument) {
    while (*format != '\0' && *format != '%') out << *format++;
    if (*format == '\0') return;
    out << argument;
    format += 2;
  };
  (put(args), ...);
  out << format;
  return out.str();
}

#define STUB_ERROR(name)                                                 \
  template <typename... Args>                                            \
  std::runtime_error name(const char* format, const Args&... args) {     \
    return std::runtime_error("(" #name ") " + Format(format, args...)); \
  }
STUB_ERROR(InvalidArgument)
STUB_ERROR(OutOfRange)
STUB_ERROR(Unimplemented)
STUB_ERROR(PreconditionNotMet)
STUB_ERROR(External)
#undef STUB_ERROR

}  // namespace errors
}  // namespace common

#define PADDLE_THROW(...) throw __VA_ARGS__
#define STUB_ENFORCE(condition, ...) \
  if (!(condition)) throw __VA_ARGS__

// In kernels, as in Paddle: prints the message and traps.
#define PADDLE_ENFORCE(condition, format, ...) \
  if (!(condition)) {                          \
    printf(format "\n", ##__VA_ARGS__);        \
    __trap();                                  \
  }

#define PADDLE_ENFORCE_GPU_SUCCESS(call)                        \
  if (const cudaError_t status = (call); status != cudaSuccess) \
  throw ::common::errors::External("%s: %s", #call, cudaGetErrorString(status))

// ---- phi/common/: dtypes ----------------------------------------------------
namespace phi {

using common::DDim;
using common::make_ddim;
using common::product;
using common::vectorize;

namespace dtype {

using float16 = c10::Half;
using bfloat16 = c10::BFloat16;

template <typename T>
struct alignas(2 * sizeof(T)) complex {
  T real;
  T imag;

  complex() = default;
  HOSTDEVICE complex(T re, T im) : real(re), imag(im) {}
  template <typename U, std::enable_if_t<std::is_arithmetic<U>::value, int> = 0>
  HOSTDEVICE explicit complex(U re) : real(static_cast<T>(re)), imag(0) {}
  template <typename U>
  HOSTDEVICE explicit complex(const complex<U>& other)
      : real(static_cast<T>(other.real)), imag(static_cast<T>(other.imag)) {}

  HOSTDEVICE friend complex operator+(complex a, complex b) {
    return {a.real + b.real, a.imag + b.imag};
  }
  HOSTDEVICE friend complex operator*(complex a, complex b) {
    return {a.real * b.real - a.imag * b.imag,
            a.real * b.imag + a.imag * b.real};
  }
  HOSTDEVICE complex& operator+=(complex b) { return *this = *this + b; }
  HOSTDEVICE friend bool operator==(complex a, complex b) {
    return a.real == b.real && a.imag == b.imag;
  }
};

}  // namespace dtype

#define STUB_DTYPES(f)                                                   \
  f(bool, BOOL, bool) f(uint8_t, UINT8, uint8) f(int8_t, INT8, int8)     \
      f(int16_t, INT16, int16) f(int32_t, INT32, int32)                  \
          f(int64_t, INT64, int64) f(dtype::float16, FLOAT16, float16)   \
              f(dtype::bfloat16, BFLOAT16, bfloat16)                     \
                  f(float, FLOAT32, float32) f(double, FLOAT64, float64) \
                      f(dtype::complex<float>, COMPLEX64, complex64)     \
                          f(dtype::complex<double>, COMPLEX128, complex128)

enum class DataType : int {
#define STUB_ENUMERATOR(type, name, text) name,
  STUB_DTYPES(STUB_ENUMERATOR)
#undef STUB_ENUMERATOR
      UNDEFINED
};

struct DataTypeInfo {
  const char* name;
  size_t size;
};
constexpr DataTypeInfo kDataTypes[] = {
#define STUB_INFO(type, name, text) {#text, sizeof(type)},
    STUB_DTYPES(STUB_INFO)
#undef STUB_INFO
        {"undefined", 0}};

inline const char* DataTypeToString(DataType dtype) {
  return kDataTypes[static_cast<int>(dtype)].name;
}
inline size_t SizeOf(DataType dtype) {
  return kDataTypes[static_cast<int>(dtype)].size;
}

template <typename T>
struct CppTypeToDataType;
#define STUB_TRAIT(type, name, text)                            \
  template <>                                                   \
  struct CppTypeToDataType<type> {                              \
    static constexpr DataType Type() { return DataType::name; } \
  };
STUB_DTYPES(STUB_TRAIT)
#undef STUB_TRAIT

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
      : data_(data),
        dtype_(dtype),
        dims_(dims),
        capacity_(numel() * static_cast<int64_t>(SizeOf(dtype))),
        is_callers_(true) {}

  const DDim& dims() const { return dims_; }
  int64_t numel() const { return product(dims_); }
  DataType dtype() const { return dtype_; }
  bool initialized() const { return data_ != nullptr; }
  void Resize(const DDim& dims) { dims_ = dims; }

  // Releases the memory: the next Alloc takes other memory.
  void clear() {
    const DDim dims = dims_;
    *this = DenseTensor();
    dims_ = dims;
  }

  // Throws without data: a Tensor without elements, or one that the operator
  // has declared with no_need_buffer.
  const void* data() const {
    STUB_ENFORCE(data_ != nullptr,
                 common::errors::PreconditionNotMet(
                     "the tensor of shape [%s] has no data", dims_));
    return data_;
  }
  template <typename T>
  const T* data() const {
    STUB_ENFORCE(dtype_ == CppTypeToDataType<T>::Type(),
                 common::errors::InvalidArgument(
                     "a tensor of %s is read as another dtype",
                     DataTypeToString(dtype_)));
    return static_cast<const T*>(data());
  }

  // Memory for dims() of `dtype`.
  void* Allocate(DataType dtype, gpuStream_t stream) {
    const int64_t bytes = numel() * static_cast<int64_t>(SizeOf(dtype));
    if (is_callers_) {
      STUB_ENFORCE(dtype == dtype_ && bytes <= capacity_,
                   common::errors::PreconditionNotMet(
                       "an output of %d bytes is too small for %d bytes of %s",
                       capacity_,
                       bytes,
                       DataTypeToString(dtype)));
      return data_;
    }
    dtype_ = dtype;
    if (bytes <= capacity_ && data_ != nullptr) return data_;
    void* data = nullptr;
    if (bytes > 0) {
      PADDLE_ENFORCE_GPU_SUCCESS(cudaMallocAsync(&data, bytes, stream));
    }
    capacity_ = bytes;
    owner_ = std::shared_ptr<void>(data, [stream](void* released) {
      if (released != nullptr) (void)cudaFreeAsync(released, stream);
    });
    return data_ = data;
  }

 private:
  void* data_ = nullptr;
  DataType dtype_ = DataType::UNDEFINED;
  DDim dims_ = make_ddim({0});
  int64_t capacity_ = 0;
  bool is_callers_ = false;
  std::shared_ptr<void> owner_;
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

}  // namespace phi

namespace paddle {

template <typename T>
class optional : public std::optional<T> {
 public:
  using std::optional<T>::optional;
  const T* get_ptr() const { return *this ? &**this : nullptr; }
};

}  // namespace paddle

#ifndef __CUDACC__
#include "cub.h"
#endif
