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
T __shfl_up_sync(unsigned lanes, T value, unsigned step) {
  return cuda_emulator::Shuffle(
      lanes, value, cuda_emulator::Lane() - static_cast<int>(step));
}
template <typename T>
T __shfl_down_sync(unsigned lanes, T value, unsigned step) {
  return cuda_emulator::Shuffle(
      lanes, value, cuda_emulator::Lane() + static_cast<int>(step));
}

inline unsigned __ballot_sync(unsigned lanes, int predicate) {
  alignas(16) char all[32 * 16] = {};
  const char given = predicate != 0;
  cuda_emulator::Exchange(lanes, &given, 1, all);
  unsigned result = 0;
  for (int lane = 0; lane < 32; ++lane) {
    const bool takes_part = lanes >> lane & 1u;
    if (takes_part && all[lane * 16] != 0) result |= 1u << lane;
  }
  return result;
}
inline int __any_sync(unsigned lanes, int predicate) {
  return __ballot_sync(lanes, predicate) != 0;
}
inline int __all_sync(unsigned lanes, int predicate) {
  return __ballot_sync(lanes, predicate) == lanes;
}

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __threadfence(); }

template <typename T>
T __ldg(const T* p) {
  return *p;
}

template <typename T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T max(T a, T b) {
  return a < b ? b : a;
}

inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline int __popcll(unsigned long long bits) {  // NOLINT
  return __builtin_popcountll(bits);
}
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __clz(int bits) {
  return bits == 0 ? 32 : __builtin_clz(static_cast<unsigned>(bits));
}
inline unsigned long long __umul64hi(unsigned long long a,    // NOLINT
                                     unsigned long long b) {  // NOLINT
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32);
}

inline unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const uint64_t bytes = static_cast<uint64_t>(high) << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned chosen = selector >> (4 * i) & 15u;
    unsigned byte = bytes >> (8 * (chosen & 7u)) & 0xffu;
    if (chosen & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << (8 * i);
  }
  return result;
}

// 0xff for each byte in which a and b differ.
inline unsigned __vcmpne4(unsigned a, unsigned b) {
  unsigned result = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    if (((a ^ b) >> shift & 0xffu) != 0) result |= 0xffu << shift;
  }
  return result;
}

template <typename T>
T atomicAdd(T* target, T value) {
  return cuda_emulator::Update(target, [&](T old) { return old + value; });
}
template <typename T>
T atomicMax(T* target, T value) {
  return cuda_emulator::Update(
      target, [&](T old) { return old < value ? value : old; });
}
template <typename T>
T atomicMin(T* target, T value) {
  return cuda_emulator::Update(
      target, [&](T old) { return value < old ? value : old; });
}
template <typename T>
T atomicOr(T* target, T value) {
  return cuda_emulator::Update(target, [&](T old) { return old | value; });
}
template <typename T>
T atomicExch(T* target, T value) {
  return cuda_emulator::Update(target, [&](T) { return value; });
}
template <typename T>
T atomicCAS(T* target, T expected, T value) {
  return cuda_emulator::Update(
      target, [&](T old) { return old == expected ? value : old; });
}
