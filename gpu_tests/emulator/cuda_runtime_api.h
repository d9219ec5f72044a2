// CUDA on the CPU, to check the logic of kernels where there is no GPU: a few
// blocks run at a time, each on a thread of its own; the threads of a block are
// fibers, changed at barriers and warp operations. Device memory is memory.

#pragma once

#include <cstddef>
#include <cstdint>

#define __global__
#define __device__
#define __host__
#define __launch_bounds__(...)
#define __shared__ static thread_local  // a thread runs one block at a time

using cudaStream_t = void*;
enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9
};
enum cudaMemcpyKind { cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice };

cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t error);
// Memory starts as bytes that are wrong for whoever takes them for granted. A
// piece of many GiB is more than the imagined device has.
cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* data,
                            int byte,
                            size_t bytes,
                            cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to,
                            const void* from,
                            size_t bytes,
                            cudaMemcpyKind kind,
                            cudaStream_t stream);
