#pragma once

#include <cstdint>
#include <memory>

#include "paddle/phi/backends/gpu/gpu_info.h"
#include "paddle/phi/common/data_type.h"
#include "paddle/phi/core/ddim.h"
#include "paddle/phi/core/enforce.h"

namespace phi {

// A dense tensor in memory of the caller, or in memory of its own that a
// context has allocated and that goes back on the context's stream.
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

  // Gives the memory up; the next Allocate takes other memory.
  void clear() {
    data_ = nullptr;
    capacity_ = 0;
    is_callers_ = false;
    owner_.reset();
  }

  void Resize(const DDim& dims) { dims_ = dims; }

  // An error if there is nothing to read: no element, or a buffer that the
  // operator has declared not to need.
  const void* data() const {
    STANDIN_ENFORCE(data_ != nullptr,
                    common::errors::PreconditionNotMet(
                        "the tensor of shape [%s] has no data", dims_));
    return data_;
  }
  template <typename T>
  const T* data() const {
    STANDIN_ENFORCE(dtype_ == CppTypeToDataType<T>::Type(),
                    common::errors::InvalidArgument(
                        "the tensor is of dtype %s, but is read as %s",
                        DataTypeToString(dtype_),
                        DataTypeToString(CppTypeToDataType<T>::Type())));
    return static_cast<const T*>(data());
  }

  // Room for dims() of `dtype`; of a context only.
  void* Allocate(DataType dtype, gpuStream_t stream) {
    const int64_t bytes = numel() * static_cast<int64_t>(SizeOf(dtype));
    if (is_callers_) {
      STANDIN_ENFORCE(dtype == dtype_ && bytes <= capacity_,
                      common::errors::PreconditionNotMet(
                          "an output of %d bytes of %s is to hold %d of %s",
                          capacity_,
                          DataTypeToString(dtype_),
                          bytes,
                          DataTypeToString(dtype)));
      return data_;
    }
    dtype_ = dtype;
    if (bytes <= capacity_ && data_ != nullptr) return data_;
    data_ = nullptr;
    if (bytes > 0) {
      PADDLE_ENFORCE_GPU_SUCCESS(
          STANDIN_GPU(MallocAsync)(&data_, bytes, stream));
    }
    capacity_ = bytes;
    owner_ = std::shared_ptr<void>(data_, [stream](void* data) {
      if (data != nullptr) (void)STANDIN_GPU(FreeAsync)(data, stream);
    });
    return data_;
  }

 private:
  void* data_ = nullptr;
  DataType dtype_ = DataType::UNDEFINED;
  DDim dims_ = make_ddim({0});
  int64_t capacity_ = 0;
  bool is_callers_ = false;
  std::shared_ptr<void> owner_;
};

}  // namespace phi
