// Atomics, under the names that Paddle gives them.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/backends/gpu/gpu_types.h"

namespace phi {

template <typename T>
__device__ inline T CudaAtomicAdd(T* target, T value) {
  return atomicAdd(target, value);
}
__device__ inline int64_t CudaAtomicAdd(int64_t* target, int64_t value) {
  using Word = unsigned long long;  // NOLINT
  return atomicAdd(reinterpret_cast<Word*>(target), static_cast<Word>(value));
}

// Not all of the types have an atomic of their own everywhere.
template <typename T, typename F>
__device__ inline T StandinUpdate(T* target, const F& change) {
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  Word* words = reinterpret_cast<Word*>(target);
  Word seen = *words;
  while (true) {
    const T wanted = change(static_cast<T>(seen));
    const Word found = atomicCAS(words, seen, static_cast<Word>(wanted));
    if (found == seen) return static_cast<T>(seen);
    seen = found;
  }
}

template <typename T>
__device__ inline T CudaAtomicMax(T* target, T value) {
  return StandinUpdate(target,
                       [=](T old) { return old < value ? value : old; });
}

template <typename T>
__device__ inline T CudaAtomicMin(T* target, T value) {
  return StandinUpdate(target,
                       [=](T old) { return value < old ? value : old; });
}

}  // namespace phi
