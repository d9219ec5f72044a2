// Launches, workspaces and CUB calls. Everything is queued on the stream of the
// GPUContext, whose device must be current.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/backends/gpu/gpu_info.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/enforce.h"
#include "paddle/phi/kernels/funcs/cub.h"

namespace phi::funcs::scatter_ops {

constexpr int kGpuThreads = 256;

// 2^28 threads: HIP limits gridDim.x * blockDim.x to less than 2^32. Larger
// problems use a grid-stride loop.
constexpr int64_t kMaxGpuBlocks = 1 << 20;

// Stores per thread. All are computed before the first is executed: their loads
// overlap.
constexpr int kStoresPerThread = 4;

// A value and where to store it: nowhere if `to` is null.
template <typename T>
struct Store {
  T* to;
  T value;
};

template <typename F>
__global__ void __launch_bounds__(kGpuThreads) GpuKernel(int64_t work, F f) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * kGpuThreads;
  int64_t w = static_cast<int64_t>(blockIdx.x) * kGpuThreads + threadIdx.x;
  // If unrolled, a body with a division spills registers (nvcc 13.0).
#pragma unroll 1
  for (; w < work; w += step) f(w);
}

// Calls f(w) on the device for each w in [0, work).
template <typename F>
void ForEach(const GPUContext& dev_ctx, int64_t work, const F& f) {
  if (work == 0) return;
  const int64_t blocks = (work + kGpuThreads - 1) / kGpuThreads;
  const int grid = static_cast<int>(std::min(blocks, kMaxGpuBlocks));
  GpuKernel<F><<<grid, kGpuThreads, 0, dev_ctx.stream()>>>(work, f);
  PADDLE_ENFORCE_GPU_SUCCESS(backends::gpu::GpuGetLastError());
}

// Executes the Store that f(w) returns on the device, for each w in [0, work).
// f must have no side effects, since it may be called more than once for a w,
// and its value must not depend on memory that the Store of another w writes.
template <typename F>
void StoreEach(const GPUContext& dev_ctx, int64_t work, const F& f) {
  const int64_t step = (work + kStoresPerThread - 1) / kStoresPerThread;
  const int64_t last = work - 1;
  ForEach(dev_ctx, step, [=] __device__(int64_t w) {
    decltype(f(w)) stores[kStoresPerThread];
#pragma unroll
    for (int s = 0; s < kStoresPerThread; ++s) {
      // Without a branch, which would separate the loads.
      stores[s] = f(std::min(w + s * step, last));
    }
#pragma unroll
    for (int s = 0; s < kStoresPerThread; ++s) {
      if (w + s * step <= last && stores[s].to != nullptr) {
        *stores[s].to = stores[s].value;
      }
    }
  });
}

// A workspace of `count` elements. `memory` must outlive the queueing of the
// last launch that uses it, but not its execution: the allocator reuses memory
// in stream order.
template <typename V>
V* AllocWorkspace(const GPUContext& dev_ctx,
                  int64_t count,
                  DenseTensor* memory) {
  memory->Resize(common::make_ddim({count * static_cast<int64_t>(sizeof(V))}));
  return reinterpret_cast<V*>(dev_ctx.template Alloc<uint8_t>(memory));
}

inline void ClearBytes(const GPUContext& dev_ctx, void* data, int64_t bytes) {
  if (bytes == 0) return;
  backends::gpu::GpuMemsetAsync(data, 0, bytes, dev_ctx.stream());
}

inline void CopyBytes(const GPUContext& dev_ctx,
                      const void* from,
                      int64_t bytes,
                      void* to) {
  if (bytes == 0 || from == to) return;
  backends::gpu::GpuMemcpyAsync(
      to, from, bytes, gpuMemcpyDeviceToDevice, dev_ctx.stream());
}

template <typename T>
T* AllocZeros(const GPUContext& dev_ctx, DenseTensor* out) {
  T* data = dev_ctx.template Alloc<T>(out);
  ClearBytes(dev_ctx, data, out->numel() * sizeof(T));
  return data;
}

// Runs a CUB algorithm, called as call(temp_storage, &bytes): the first call
// queries how much temporary storage it needs, the second one runs it.
template <typename F>
void CallCub(const GPUContext& dev_ctx, const F& call) {
  size_t bytes = 0;
  PADDLE_ENFORCE_GPU_SUCCESS(call(nullptr, &bytes));
  DenseTensor memory;
  void* temp_storage = AllocWorkspace<uint8_t>(dev_ctx, bytes, &memory);
  PADDLE_ENFORCE_GPU_SUCCESS(call(temp_storage, &bytes));
}

}  // namespace phi::funcs::scatter_ops
