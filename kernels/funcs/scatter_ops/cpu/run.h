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

// Loops of the CPU kernels of the masked and scatter operators: compilation for
// AVX2, division over threads, and non-temporal stores of large outputs.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/enforce.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

// Paddle itself is compiled for AVX at most. With SCATTER_OPS_PORTABLE the
// portable loops are left alone, for tests: they give the same bits.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SCATTER_OPS_PORTABLE)
#define SCATTER_OPS_AVX2 1
#include <immintrin.h>
#define SCATTER_OPS_TARGET __attribute__((target("avx2,popcnt")))
#endif

// Before a loop: iterations are independent, apart from one element that is
// read and then written by the same iteration. Clang checks for overlap at run
// time instead: where it can't vectorize a loop as told, it warns.
#if defined(__GNUC__) && !defined(__clang__)
#define SCATTER_OPS_IVDEP _Pragma("GCC ivdep")
#else
#define SCATTER_OPS_IVDEP
#endif

// Before a loop: vectorize instead of unrolling completely.
#if defined(__clang__)
#define SCATTER_OPS_NO_UNROLL _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__)
#define SCATTER_OPS_NO_UNROLL _Pragma("GCC unroll 1")
#else
#define SCATTER_OPS_NO_UNROLL
#endif

namespace phi::funcs::scatter_ops {

inline bool HasAvx2() {
#ifdef SCATTER_OPS_AVX2
  static const bool found =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
  return found;
#else
  return false;
#endif
}

#ifdef SCATTER_OPS_AVX2
// Everything that f calls is compiled here once more.
template <typename F>
SCATTER_OPS_TARGET __attribute__((flatten)) void CallForAvx2(const F& f) {
  f();
}
#endif

// Calls f, plain loops, which are compiled for AVX2 as well: AVX has no vectors
// of integers. The bits are the same.
template <typename F>
void CallVectorised(const F& f) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) return CallForAvx2(f);
#endif
  f();
}

// The same for loops over T that gain by it only where T is a float of 16 bits,
// which is converted by arithmetic on integers.
template <typename T, typename F>
void CallVectorisedForHalf(const F& f) {
  if constexpr (kIsHalf<T>) {
    CallVectorised(f);
  } else {
    f();
  }
}

// Below this many bytes a second thread costs more than it saves.
constexpr int64_t kParallelBytes = 128 << 10;

inline int NumThreads() {
#ifdef _OPENMP
  return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
  return 1;
#endif
}

// The threads that share work on so many bytes.
inline int ThreadsFor(int64_t bytes) {
  return bytes < kParallelBytes ? 1 : NumThreads();
}

// Orders non-temporal stores of this thread before what it writes next.
inline void StoreFence() {
#ifdef SCATTER_OPS_AVX2
  _mm_sfence();
#endif
}

// Calls f(i) for each i in [0, count), in parallel if `bytes` of work pay for
// it. The calls must be independent. An exception that leaves a parallel region
// ends the process, so the first one is rethrown behind it.
template <typename F>
void ParallelFor(int64_t count, int64_t bytes, const F& f) {
  if (count <= 1 || ThreadsFor(bytes) == 1) {
    for (int64_t i = 0; i < count; ++i) f(i);
    StoreFence();
    return;
  }
#ifdef _OPENMP
  std::exception_ptr failure;
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int64_t i = 0; i < count; ++i) {
      try {
        f(i);
      } catch (...) {
#pragma omp critical
        if (!failure) failure = std::current_exception();
      }
    }
    StoreFence();
  }
  if (failure) std::rethrow_exception(failure);
#endif
}

// [0, numel) cut into tiles of equal size (the last one may be shorter), as
// many for each thread.
struct Tiles {
  int64_t numel;
  int64_t bytes;  // of all of them
  int64_t size;
  int64_t count;

  Tiles(int64_t numel, int64_t element_bytes)
      : numel(numel), bytes(numel * element_bytes) {
    // At most the bytes of a huge page: two threads seldom fault the same one.
    constexpr int64_t kMaxTileBytes = 2 << 20;
    // Whole vectors of every element size, whole cache lines of the mask.
    constexpr int64_t kMultiple = 64;
    if (bytes < kParallelBytes) {  // without divisions
      size = std::max<int64_t>(numel, 1);
      count = numel > 0;
      return;
    }
    const int64_t threads = NumThreads();
    const int64_t wanted = threads * (bytes / threads / kMaxTileBytes + 1);
    size = (numel / wanted / kMultiple + 1) * kMultiple;
    count = (numel + size - 1) / size;
  }

  int64_t begin(int64_t i) const { return i * size; }
  int64_t end(int64_t i) const { return std::min(numel, (i + 1) * size); }
};

// memset to zero by all threads.
inline void ParallelZero(void* out, int64_t bytes) {
  const Tiles tiles(bytes, 1);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    std::memset(static_cast<char*>(out) + tiles.begin(i),
                0,
                tiles.end(i) - tiles.begin(i));
  });
}

// An output of zeros.
template <typename T, typename Context>
T* AllocZeros(const Context& dev_ctx, DenseTensor* out) {
  T* data = dev_ctx.template Alloc<T>(out);
  ParallelZero(data, out->numel() * static_cast<int64_t>(sizeof(T)));
  return data;
}

// Whether an output of so many bytes is written by non-temporal stores, which
// save the fetch of each line before it is written: a third of what a copy
// moves. From 32 MiB on the caches have no room for an output; a smaller one
// may be found there by what reads it next.
inline bool UseNonTemporalStores(int64_t bytes, bool in_place) {
  constexpr int64_t kMinStreamedBytes = 32 << 20;
  return !in_place && bytes >= kMinStreamedBytes && HasAvx2();
}

#ifdef SCATTER_OPS_AVX2
SCATTER_OPS_TARGET inline void NonTemporalCopy(void* out,
                                               const void* in,
                                               int64_t bytes) {
  constexpr int64_t kLine = 64;
  auto* const to = static_cast<char*>(out);
  const auto* const from = static_cast<const char*>(in);
  int64_t at = -reinterpret_cast<intptr_t>(out) & (kLine - 1);
  std::memcpy(to, from, at);
  for (; at + kLine <= bytes; at += kLine) {
    const auto* words = reinterpret_cast<const __m256i*>(from + at);
    auto* line = reinterpret_cast<__m256i*>(to + at);
    const __m256i low = _mm256_loadu_si256(words);
    const __m256i high = _mm256_loadu_si256(words + 1);
    _mm256_stream_si256(line, low);
    _mm256_stream_si256(line + 1, high);
  }
  std::memcpy(to + at, from + at, bytes - at);
}
#endif

// memcpy, by non-temporal stores if `streams`. ParallelFor fences them.
inline void StreamCopy(void* out, const void* in, int64_t bytes, bool streams) {
#ifdef SCATTER_OPS_AVX2
  // Shorter copies are mostly parts of lines.
  if (streams && bytes >= 512) return NonTemporalCopy(out, in, bytes);
#endif
  std::memcpy(out, in, bytes);
}

// Calls f(to, begin, n) for blocks [begin, begin + n) of an output in order, of
// at most `block` elements, which f writes to `to`: the output itself or, if
// `streams`, a buffer which is then copied to it. The buffer is so small that
// the next block is read while the stores are on their way.
template <typename Word, typename F>
void ForEachBlock(Word* out,
                  int64_t begin,
                  int64_t end,
                  int64_t block,
                  bool streams,
                  const F& f) {
  constexpr int64_t kBuffered = 4096 / sizeof(Word);
  Word buffer[kBuffered];
  if (streams) block = std::min(block, kBuffered);
  for (int64_t b = begin; b < end; b += block) {
    const int64_t n = std::min(block, end - b);
    f(streams ? buffer : out + b, b, n);
    if (streams) StreamCopy(out + b, buffer, n * sizeof(Word), true);
  }
}

}  // namespace phi::funcs::scatter_ops
