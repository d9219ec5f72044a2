#pragma once

#include "paddle/phi/backends/gpu/gpu_context.h"

namespace phi {

inline void Copy(const GPUContext& dev_ctx,
                 const DenseTensor& from,
                 const Place& /*place*/,
                 bool blocking,
                 DenseTensor* to) {
  const int64_t bytes =
      from.numel() * static_cast<int64_t>(SizeOf(from.dtype()));
  to->Resize(from.dims());
  void* target = to->Allocate(from.dtype(), dev_ctx.stream());
  if (bytes > 0) {
    PADDLE_ENFORCE_GPU_SUCCESS(cudaMemcpyAsync(target,
                                               from.data(),
                                               bytes,
                                               cudaMemcpyDeviceToDevice,
                                               dev_ctx.stream()));
  }
  if (blocking) {
    PADDLE_ENFORCE_GPU_SUCCESS(cudaStreamSynchronize(dev_ctx.stream()));
  }
}

}  // namespace phi
