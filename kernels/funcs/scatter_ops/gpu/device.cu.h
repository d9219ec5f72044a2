// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// What all GPU kernels of the masked and scatter operators need of the device:
// threads and grids, and memory. Paddle's own wrappers, so that the same text
// builds with CUDA and with ROCm.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/backends/gpu/gpu_info.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

constexpr int kGpuThreads = 256;

// Blocks for a grid-stride loop: enough to fill the device, and no more than
// the work needs.
inline unsigned GridSize(const GPUContext& dev_ctx, int64_t work_items) {
  const int64_t blocks = (work_items + kGpuThreads - 1) / kGpuThreads;
  const int64_t resident = static_cast<int64_t>(dev_ctx.GetSMCount()) * 8;
  return static_cast<unsigned>(
      std::max<int64_t>(1, std::min(blocks, resident)));
}

template <typename F>
__global__ void __launch_bounds__(kGpuThreads)
    ForEachGpuKernel(int64_t work, F f) {
  const int64_t w =
      static_cast<int64_t>(blockIdx.x) * kGpuThreads + threadIdx.x;
  if (w < work) f(w);
}

// Calls f(w) on the device for each w in [0, work). A grid has room for 2^31 -
// 1 blocks: more elements than a device has memory for.
template <typename F>
void ForEach(const GPUContext& dev_ctx, int64_t work, const F& f) {
  if (work == 0) return;
  const int64_t blocks = (work + kGpuThreads - 1) / kGpuThreads;
  ForEachGpuKernel<F>
      <<<static_cast<unsigned>(blocks), kGpuThreads, 0, dev_ctx.stream()>>>(
          work, f);
}

// Room for `count` of V, which need not be the dtype of a Tensor.
template <typename V>
V* AllocScratch(const GPUContext& dev_ctx, int64_t count, DenseTensor* memory) {
  memory->Resize(common::make_ddim({count * static_cast<int64_t>(sizeof(V))}));
  return reinterpret_cast<V*>(dev_ctx.template Alloc<uint8_t>(memory));
}

inline void ClearBytes(const GPUContext& dev_ctx, void* data, int64_t bytes) {
  if (bytes == 0) return;
  backends::gpu::GpuMemsetAsync(data, 0, bytes, dev_ctx.stream());
}

// Nothing is done if `to` is `from`.
inline void CopyBytes(const GPUContext& dev_ctx,
                      const void* from,
                      int64_t bytes,
                      void* to) {
  if (bytes == 0 || to == from) return;
  backends::gpu::GpuMemcpyAsync(
      to, from, bytes, gpuMemcpyDeviceToDevice, dev_ctx.stream());
}

template <typename T>
T* AllocZeros(const GPUContext& dev_ctx, DenseTensor* out) {
  T* data = dev_ctx.template Alloc<T>(out);
  ClearBytes(dev_ctx, data, out->numel() * sizeof(T));
  return data;
}

template <typename T>
T* AllocOrNull(const GPUContext& dev_ctx, DenseTensor* tensor) {
  return tensor ? dev_ctx.template Alloc<T>(tensor) : nullptr;
}

}  // namespace phi::funcs::scatter_ops
