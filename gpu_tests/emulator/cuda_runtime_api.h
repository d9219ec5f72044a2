// CUDA on the CPU, to check the logic of kernels without a GPU. The threads of
// a launch run one after another in random order, or at once under
// ThreadSanitizer. There are no barriers and no shared memory: the kernels have
// none. Every source of the emulation must include this first.

#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <thread>  // NOLINT
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __launch_bounds__(...)

using cudaStream_t = void*;
enum cudaError_t { cudaSuccess = 0 };
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3 };

// Grids and blocks have one dimension.
struct EmulatedIndex {
  unsigned x;
};
inline EmulatedIndex gridDim;
inline thread_local EmulatedIndex threadIdx, blockIdx;

namespace cuda_emulator {

constexpr size_t kPage = 4096;
// The size in bytes of the largest element.
constexpr size_t kAlignment = 16;
constexpr int kGarbage = 0xcd;
#ifdef __SANITIZE_THREAD__
constexpr bool kConcurrent = true;
#else
constexpr bool kConcurrent = false;
#endif

inline std::vector<std::function<void()>> queue;
// {allocation: the size of its pages; it begins in the first}
inline std::map<void*, size_t> allocations;

[[noreturn]] inline void Fail(const char* reason) {
  std::fprintf(stderr, "cuda_emulator: %s\n", reason);
  std::abort();
}

// Queues work until the stream is synchronized. The null stream aborts, as all
// work must be on the stream of the caller.
inline void Enqueue(std::function<void()> work, cudaStream_t stream) {
  if (stream == nullptr) Fail("work is outside the stream of the caller");
  queue.push_back(std::move(work));
}

inline void RunThreads(const std::function<void()>& kernel,
                       unsigned grid,
                       unsigned block) {
  static std::mt19937 random(21);
  std::vector<unsigned> order(grid * block);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  gridDim = {grid};
  std::vector<std::thread> threads;
  for (unsigned i : order) {
    const auto run = [=, &kernel] {
      blockIdx = {i / block};
      threadIdx = {i % block};
      kernel();
    };
    kConcurrent ? void(threads.emplace_back(run)) : run();
  }
  for (std::thread& thread : threads) thread.join();
}

// kernel<<<grid, block, shared_bytes, stream>>>(args...). Copies the arguments,
// as CUDA does.
template <typename... Params, typename... Args>
void Launch(void (*kernel)(Params...),
            unsigned grid,
            unsigned block,
            size_t /*shared_bytes*/,
            cudaStream_t stream,
            const Args&... args) {
  if (grid == 0) Fail("a launch has no blocks");
  Enqueue([=] { RunThreads([&] { kernel(args...); }, grid, block); }, stream);
}

}  // namespace cuda_emulator

[[noreturn]] inline void __trap() {
  std::fflush(stdout);
  std::abort();
}

template <typename T>
T atomicAdd(T* at, T value) {
  T& target = *at;  // UBSan checks the alignment of a reference
  return __atomic_fetch_add(&target, value, __ATOMIC_RELAXED);
}
template <typename T>
T atomicMax(T* at, T value) {
  constexpr int kOrder = __ATOMIC_RELAXED;
  T& target = *at;
  T old = __atomic_load_n(&target, kOrder);
  while (old < value && !__atomic_compare_exchange_n(
                            &target, &old, value, true, kOrder, kOrder)) {
  }
  return old;
}

// Faults abort instead of returning an error.
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline const char* cudaGetErrorString(cudaError_t) { return "no error"; }

// Runs the queued work.
inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  cuda_emulator::Enqueue([] {}, stream);
  for (const auto& work : std::exchange(cuda_emulator::queue, {})) work();
  return cudaSuccess;
}

// Allocates memory that is filled with garbage and ends at an inaccessible
// page. Freed memory is inaccessible.
inline cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t) {
  using namespace cuda_emulator;  // NOLINT
  const size_t used = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const size_t mapped = (used + kPage - 1) / kPage * kPage;
  void* pages = mmap(nullptr,
                     mapped + kPage,
                     PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS,
                     -1,
                     0);
  if (pages == MAP_FAILED) Fail("mmap failed");
  auto* end = static_cast<char*>(pages) + mapped;
  mprotect(end, kPage, PROT_NONE);
  *data = std::memset(end - used, kGarbage, used);
  allocations[*data] = mapped + kPage;
  return cudaSuccess;
}

inline cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  const auto free = [=] {
    const size_t size = cuda_emulator::allocations.extract(data).mapped();
    const auto offset =
        reinterpret_cast<uintptr_t>(data) % cuda_emulator::kPage;
    munmap(static_cast<char*>(data) - offset, size);
  };
  cuda_emulator::Enqueue(free, stream);
  return cudaSuccess;
}

inline cudaError_t cudaMemsetAsync(void* data,
                                   int byte,
                                   size_t bytes,
                                   cudaStream_t stream) {
  cuda_emulator::Enqueue([=] { std::memset(data, byte, bytes); }, stream);
  return cudaSuccess;
}

inline cudaError_t cudaMemcpyAsync(void* to,
                                   const void* from,
                                   size_t bytes,
                                   cudaMemcpyKind,
                                   cudaStream_t stream) {
  cuda_emulator::Enqueue([=] { std::memcpy(to, from, bytes); }, stream);
  return cudaSuccess;
}
