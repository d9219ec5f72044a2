#pragma once

#include "paddle/phi/backends/gpu/gpu_types.h"
#include "paddle/phi/core/enforce.h"

namespace phi::backends::gpu {

inline void GpuMemsetAsync(void* data,
                           int value,
                           size_t bytes,
                           gpuStream_t stream) {
  PADDLE_ENFORCE_GPU_SUCCESS(
      STANDIN_GPU(MemsetAsync)(data, value, bytes, stream));
}

inline void GpuMemcpyAsync(void* to,
                           const void* from,
                           size_t bytes,
                           gpuMemcpyKind kind,
                           gpuStream_t stream) {
  PADDLE_ENFORCE_GPU_SUCCESS(
      STANDIN_GPU(MemcpyAsync)(to, from, bytes, kind, stream));
}

}  // namespace phi::backends::gpu
