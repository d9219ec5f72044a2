// What kernels find on a device. Every source of the emulation includes it
// before anything else.

#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <functional>

// Of grids and blocks there are those of one dimension only.
struct EmulatedIndex {
  unsigned x;
};
extern thread_local EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_emulator {

void Launch(const std::function<void()>& kernel,
            unsigned grid,
            unsigned block,
            size_t shared_bytes = 0,
            cudaStream_t stream = nullptr);

// Waits until all lanes of `lanes` are here; each gives `bytes` bytes of
// `given` and gets those of all the warp in `all`, 16 bytes for a lane.
void Exchange(unsigned lanes, const void* given, size_t bytes, char* all);

template <typename T, typename F>
T Update(T* target, const F& change) {
  T seen;
  __atomic_load(target, &seen, __ATOMIC_SEQ_CST);
  while (true) {
    T wanted = change(seen);
    if (__atomic_compare_exchange(target,
                                  &seen,
                                  &wanted,
                                  false,
                                  __ATOMIC_SEQ_CST,
                                  __ATOMIC_SEQ_CST)) {
      return seen;
    }
  }
}

}  // namespace cuda_emulator

void __syncthreads();
[[noreturn]] void __trap();

template <typename T>
T __shfl_xor_sync(unsigned lanes, T value, int mask) {
  static_assert(sizeof(T) <= 16, "too big to shuffle");
  alignas(16) char all[32 * 16];
  cuda_emulator::Exchange(lanes, &value, sizeof(T), all);
  const unsigned from = threadIdx.x % 32 ^ mask;
  if (from < 32) std::memcpy(&value, all + from * 16, sizeof(T));
  return value;
}

template <typename T>
T min(T a, T b) {
  return b < a ? b : a;
}

inline unsigned long long __umul64hi(unsigned long long a,    // NOLINT
                                     unsigned long long b) {  // NOLINT
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}

template <typename T>
T atomicAdd(T* target, T value) {
  return cuda_emulator::Update(target, [&](T old) { return old + value; });
}
