// What kernels find on a device. Every source of the emulation includes it
// before anything else.

#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <functional>

struct EmulatedIndex {
  unsigned x, y, z;
};
extern thread_local EmulatedIndex threadIdx;
extern thread_local EmulatedIndex blockIdx;
extern thread_local EmulatedIndex blockDim;
extern thread_local EmulatedIndex gridDim;

namespace cuda_emulator {

void Launch(dim3 grid,
            dim3 block,
            size_t shared_bytes,
            cudaStream_t stream,
            const std::function<void()>& kernel);

inline void Launch(dim3 grid, dim3 block, const std::function<void()>& kernel) {
  Launch(grid, block, 0, nullptr, kernel);
}

// Waits until all lanes of `lanes` are here; each gives `bytes` bytes of
// `given` and gets those of all the warp in `all`, 16 bytes for a lane.
void Exchange(unsigned lanes, const void* given, size_t bytes, char* all);

int Lane();

void SyncWarp(unsigned lanes);

// Where a thread of a block is: what two threads do is in no order unless a
// barrier, or for lanes of one warp a __syncwarp, lies between.
struct Moment {
  int thread;  // -1 outside of kernels
  int64_t barriers;
  int64_t warp_syncs;
};
Moment Now();

// Gives the other blocks time to see what was written.
void AfterVolatileStore();
void PauseAfterVolatileStores(int microseconds);

template <typename T>
void VolatileStore(volatile T* target, T value) {
  *target = value;
  AfterVolatileStore();
}

// What lane `from` of the warp has given.
template <typename T>
T Shuffle(unsigned lanes, T value, int from) {
  static_assert(sizeof(T) <= 16, "too big to shuffle");
  alignas(16) char all[32 * 16];
  Exchange(lanes, &value, sizeof(T), all);
  if (from < 0 || from > 31) return value;
  T result;
  std::memcpy(&result, all + from * 16, sizeof(T));
  return result;
}

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

inline void __syncwarp(unsigned lanes = 0xffffffffu) {
  cuda_emulator::SyncWarp(lanes);
}

template <typename T>
T __shfl_sync(unsigned lanes, T value, int from) {
  return cuda_emulator::Shuffle(lanes, value, from & 31);
}
template <typename T>
T __shfl_xor_sync(unsigned lanes, T value, int mask) {
  return cuda_emulator::Shuffle(lanes, value, cuda_emulator::Lane() ^ mask);
}

template <typename T>
T min(T a, T b) {
  return b < a ? b : a;
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline unsigned long long __umul64hi(unsigned long long a,    // NOLINT
                                     unsigned long long b) {  // NOLINT
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}

template <typename T>
T atomicAdd(T* target, T value) {
  return cuda_emulator::Update(target, [&](T old) { return old + value; });
}
template <typename T>
T atomicCAS(T* target, T expected, T value) {
  return cuda_emulator::Update(
      target, [&](T old) { return old == expected ? value : old; });
}
