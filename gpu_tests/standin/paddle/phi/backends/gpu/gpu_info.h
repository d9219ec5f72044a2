// Paddle's names for what CUDA and ROCm both have.

#pragma once

#ifdef PADDLE_WITH_HIP
#include <hip/hip_runtime.h>
#define STANDIN_GPU(name) hip##name
#else
#include <cuda_runtime_api.h>
#define STANDIN_GPU(name) cuda##name
#endif

#include <cstddef>

#include "paddle/phi/core/enforce.h"

namespace phi {

using gpuStream_t = STANDIN_GPU(Stream_t);
using gpuError_t = STANDIN_GPU(Error_t);
using gpuMemcpyKind = STANDIN_GPU(MemcpyKind);
constexpr auto gpuSuccess = STANDIN_GPU(Success);
constexpr auto gpuMemcpyDeviceToHost = STANDIN_GPU(MemcpyDeviceToHost);
constexpr auto gpuMemcpyDeviceToDevice = STANDIN_GPU(MemcpyDeviceToDevice);

}  // namespace phi

namespace phi::backends::gpu {

inline gpuError_t GpuGetLastError() { return STANDIN_GPU(GetLastError)(); }

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
