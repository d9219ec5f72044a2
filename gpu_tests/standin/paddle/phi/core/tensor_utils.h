#pragma once

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/backends/gpu/gpu_info.h"

namespace phi {

inline void Copy(const GPUContext& dev_ctx,
                 const DenseTensor& from,
                 const Place& /*place*/,
                 bool blocking,
                 DenseTensor* to) {
  STANDIN_ENFORCE(!blocking,
                  common::errors::Unimplemented("a copy that is waited for"));
  const int64_t bytes =
      from.numel() * static_cast<int64_t>(SizeOf(from.dtype()));
  to->Resize(from.dims());
  void* target = to->Allocate(from.dtype(), dev_ctx.stream());
  if (bytes > 0) {
    backends::gpu::GpuMemcpyAsync(
        target, from.data(), bytes, gpuMemcpyDeviceToDevice, dev_ctx.stream());
  }
}

}  // namespace phi
