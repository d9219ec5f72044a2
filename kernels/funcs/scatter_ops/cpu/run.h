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

// How the CPU kernels of the masked and scatter operators run their loops:
// compiled for AVX2, split over threads, with large outputs stored past the
// caches, and what an exception in one of them becomes.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <vector>

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

#if defined(__GNUC__)
#define SCATTER_OPS_NOINLINE __attribute__((noinline))
#elif defined(_MSC_VER)
#define SCATTER_OPS_NOINLINE __declspec(noinline)
#else
#define SCATTER_OPS_NOINLINE
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
// At most the bytes of a huge page, so that two threads seldom fill the same
// one.
constexpr int64_t kMaxTileBytes = 2 << 20;
constexpr int64_t kMinTileBytes = 64 << 10;

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

// Calls f(worker, 0) ... f(worker, count - 1), on all threads if the work is
// worth it. Calls at the same time have different workers, from 0 to
// NumThreads() - 1. The calls must not depend on each other.
//
// Each thread begins with calls of its own, the same ones in every region of
// this count: of a tensor that fits into the caches it finds its part in those
// of its core. The calls differ in their work, and the threads in what they
// find, so whichever is done takes those that others have left.
//
// An exception, such as that of memory which runs out, would end the process if
// it left a parallel region. So the first one is kept until the threads have
// joined; the others take no further call.
template <typename F>
void ParallelForWorkers(int64_t count, int64_t bytes, const F& f) {
  const int threads = ThreadsFor(bytes);
  if (count <= 1 || threads == 1) {
    for (int64_t i = 0; i < count; ++i) f(0, i);
    return;
  }
#ifdef _OPENMP
  std::vector<std::atomic<int64_t>> next(threads);
  for (int t = 0; t < threads; ++t) next[t] = count * t / threads;
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
#pragma omp parallel
  {
    const int worker = omp_get_thread_num();
    try {
      for (int t = 0; t < threads; ++t) {
        const int from = (worker + t) % threads;
        const int64_t end = count * (from + 1) / threads;
        for (int64_t i; !failed && (i = next[from]++) < end;) f(worker, i);
      }
    } catch (...) {
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
#endif
}

// The same for calls that do not ask which worker they have.
template <typename F>
void ParallelFor(int64_t count, int64_t bytes, const F& f) {
  ParallelForWorkers(count, bytes, [&f](int, int64_t i) { f(i); });
}

// Calls f, the work of a kernel of the operator `op`. Paddle's backward pass
// ends the process on a std::bad_alloc; an error of its own becomes a
// MemoryError.
template <typename F>
void WithWorkingMemory(const char* op, const F& f) {
  try {
    f();
  } catch (const std::bad_alloc&) {
    PADDLE_THROW(common::errors::ResourceExhausted(
        "(%s) There is not enough memory for what the CPU kernel keeps besides "
        "its outputs: a grouped index, copies of updates or partial sums.",
        op));
  }
}

// [0, numel) cut into tiles of equal size (the last one may be shorter).
struct Tiles {
  int64_t numel;
  int64_t bytes;  // of all of them
  int64_t size;
  int64_t count;

  Tiles(int64_t numel, int64_t element_bytes)
      : numel(numel), bytes(numel * element_bytes) {
    // Several tiles a thread, so that a slow one leaves its last to others.
    const int64_t threads = ThreadsFor(bytes);
    const int64_t shares = threads == 1 ? 1 : threads * 4;
    const int64_t tile_bytes =
        std::min(kMaxTileBytes, std::max(kMinTileBytes, bytes / shares));
    // Whole vectors of every element size, whole cache lines of the mask.
    size = std::max<int64_t>(64, tile_bytes / element_bytes / 64 * 64);
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

// How a tile of an output is stored. An ordinary store first fetches the line
// that it writes to. Where the caches have no room for an output anyway, stores
// past them save that fetch, a third of what a copy moves.
enum class Stores { kOrdinary, kPastCaches };

// How to store an output of so many bytes. From 32 MiB on the caches that a
// core shares with few others have no room for it and for what it is made of;
// what follows may find a smaller one in a cache. Linux is not asked for their
// size: it may tell that of all of them together.
inline Stores StoresFor(int64_t bytes) {
  constexpr int64_t kLeast = 32 << 20;
  return bytes >= kLeast && HasAvx2() ? Stores::kPastCaches : Stores::kOrdinary;
}

// The same for an output that is made from `in` or in place.
inline Stores StoresInto(const void* out, const void* in, int64_t bytes) {
  return out == in ? Stores::kOrdinary : StoresFor(bytes);
}

#ifdef SCATTER_OPS_AVX2
// memcpy by whole lines, each stored so. memcpy itself takes long to begin.
template <Stores kStores>
SCATTER_OPS_TARGET void CopyLines(void* out, const void* in, int64_t bytes) {
  constexpr int64_t kLine = 64;
  auto* const to = static_cast<char*>(out);
  const auto* const from = static_cast<const char*>(in);
  int64_t at = std::min(bytes, -reinterpret_cast<intptr_t>(out) & (kLine - 1));
  std::memcpy(to, from, at);
  for (; at + kLine <= bytes; at += kLine) {
    const auto* words = reinterpret_cast<const __m256i*>(from + at);
    auto* line = reinterpret_cast<__m256i*>(to + at);
    const __m256i low = _mm256_loadu_si256(words);
    const __m256i high = _mm256_loadu_si256(words + 1);
    if constexpr (kStores == Stores::kPastCaches) {
      _mm256_stream_si256(line, low);
      _mm256_stream_si256(line + 1, high);
    } else {
      _mm256_store_si256(line, low);
      _mm256_store_si256(line + 1, high);
    }
  }
  std::memcpy(to + at, from + at, bytes - at);
}
#endif

// Others may read the tile when this is destroyed.
class TileStores {
 public:
  explicit TileStores(Stores stores) : stores_(stores) {}
  TileStores(const TileStores&) = delete;
  TileStores& operator=(const TileStores&) = delete;
  ~TileStores() {
#ifdef SCATTER_OPS_AVX2
    if (past_caches()) _mm_sfence();
#endif
  }

  bool past_caches() const { return stores_ == Stores::kPastCaches; }

  // Whether Copy stores so many bytes past the caches: fewer than this are
  // mostly parts of lines.
  bool SkipCaches(int64_t bytes) const { return past_caches() && bytes >= 512; }

  // memcpy
  void Copy(void* out, const void* in, int64_t bytes) const {
#ifdef SCATTER_OPS_AVX2
    if (SkipCaches(bytes)) {
      return CopyLines<Stores::kPastCaches>(out, in, bytes);
    }
#endif
    std::memcpy(out, in, bytes);
  }

 private:
  Stores stores_;
};

// Calls f(to, b, n) for blocks [b, b + n) of [begin, end) in order, of at most
// `most` elements, which f writes to `to`. That is out + b or, where stores go
// past the caches, a buffer which is then copied there. It is so small that
// reading the next block goes on while the stores are on their way.
template <typename Word, typename F>
void StoreBlocks(const TileStores& stores,
                 Word* out,
                 int64_t begin,
                 int64_t end,
                 int64_t most,
                 const F& f) {
  constexpr int64_t kBuffered = 4096 / sizeof(Word);
  Word buffer[kBuffered];
  const bool buffered = stores.past_caches();
  const int64_t step = buffered ? std::min(most, kBuffered) : most;
  for (int64_t b = begin; b < end; b += step) {
    const int64_t n = std::min(step, end - b);
    Word* to = buffered ? buffer : out + b;
    f(to, b, n);
    if (buffered) stores.Copy(out + b, to, n * sizeof(Word));
  }
}

}  // namespace phi::funcs::scatter_ops
