#pragma once

#include "paddle/phi/backends/gpu/gpu_types.h"
#include "paddle/phi/core/dense_tensor.h"

namespace phi {

struct Place {};

// A stream of the current device.
class GPUContext {
 public:
  GPUContext(gpuStream_t stream, int multiprocessors)
      : stream_(stream), multiprocessors_(multiprocessors) {}

  gpuStream_t stream() const { return stream_; }
  int GetSMCount() const { return multiprocessors_; }
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
  int multiprocessors_;
};

}  // namespace phi
