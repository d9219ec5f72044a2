// CUDA on the CPU, to check the logic of kernels without a GPU. The threads of
// a launch run one after another, in random order. There are no barriers and no
// shared memory: the kernels have none. Every source of the emulation must
// include this first.

#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#define __global__
#define __device__
#define __launch_bounds__(...)

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidConfiguration = 9 };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3 };

// Grids and blocks have one dimension.
struct EmulatedIndex {
  unsigned x;
};
extern EmulatedIndex threadIdx, blockIdx, gridDim;

cudaError_t cudaGetLastError();
const char* cudaGetErrorString(cudaError_t error);
// Runs the queued work. The null stream aborts, as all work must be on the
// stream of the caller.
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
// Allocates memory that is filled with garbage and ends at an inaccessible
// page. Freed memory is inaccessible.
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

[[noreturn]] void __trap();

template <typename T>
T atomicAdd(T* at, T value) {
  return std::exchange(*at, *at + value);
}
template <typename T>
T atomicMax(T* at, T value) {
  return std::exchange(*at, *at < value ? value : *at);
}

namespace cuda_emulator {

[[noreturn]] void Fail(const char* reason);

void Enqueue(std::function<void()> work, cudaStream_t stream);

void RunThreads(const std::function<void()>& kernel,
                unsigned grid,
                unsigned block);

bool IsValidLaunch(unsigned grid, unsigned block);

// kernel<<<grid, block, shared_bytes, stream>>>(args...). Copies the arguments,
// as CUDA does.
template <typename... Params, typename... Args>
void Launch(void (*kernel)(Params...),
            unsigned grid,
            unsigned block,
            size_t /*shared_bytes*/,
            cudaStream_t stream,
            const Args&... args) {
  if (!IsValidLaunch(grid, block)) return;
  Enqueue([=] { RunThreads([&] { kernel(args...); }, grid, block); }, stream);
}

}  // namespace cuda_emulator
