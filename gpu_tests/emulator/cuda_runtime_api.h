// CUDA on the CPU, to check the logic of kernels where there is no GPU: blocks
// run one after another; the threads of a block are fibers, changed at
// barriers. Device memory is memory. Every source of the emulation includes
// this before anything else.

#pragma once

#include <cstddef>
#include <functional>

#define __global__
#define __device__
#define __launch_bounds__(...)
#define __shared__ static  // there is one block at a time

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidConfiguration = 9 };
enum cudaMemcpyKind { cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice };

cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t error);
// Everything is done at once. The null stream is refused, here and by the
// others: all work has to go to the stream of the caller.
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
// Memory starts as bytes that are wrong for whoever takes them for granted.
cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void* data, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* data,
                            int byte,
                            size_t bytes,
                            cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to,
                            const void* from,
                            size_t bytes,
                            cudaMemcpyKind kind,
                            cudaStream_t stream);

// Of grids and blocks there are those of one dimension only.
struct EmulatedIndex {
  unsigned x;
};
extern EmulatedIndex threadIdx, blockIdx, gridDim;

void __syncthreads();
[[noreturn]] void __trap();

namespace cuda_emulator {

void Launch(const std::function<void()>& kernel,
            unsigned grid,
            unsigned block,
            size_t shared_bytes = 0,
            cudaStream_t stream = nullptr);

}  // namespace cuda_emulator
