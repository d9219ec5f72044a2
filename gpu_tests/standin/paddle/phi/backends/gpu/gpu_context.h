#pragma once

#include "paddle/phi/backends/gpu/gpu_info.h"
#include "paddle/phi/core/dense_tensor.h"

namespace phi {

struct Place {};

// A stream of the current device.
class GPUContext {
 public:
  explicit GPUContext(gpuStream_t stream) : stream_(stream) {}

  gpuStream_t stream() const { return stream_; }
  Place GetPlace() const { return {}; }
  void Wait() const {
    PADDLE_ENFORCE_GPU_SUCCESS(STANDIN_GPU(StreamSynchronize)(stream_));
  }

  template <typename T>
  T* Alloc(DenseTensor* tensor) const {
    return static_cast<T*>(
        tensor->Allocate(CppTypeToDataType<T>::Type(), stream_));
  }

 private:
  gpuStream_t stream_;
};

}  // namespace phi
