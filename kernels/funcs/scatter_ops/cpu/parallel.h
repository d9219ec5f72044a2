// Parallel and vectorized loops for the CPU kernels of the masked and scatter
// operators, and non-temporal stores for large outputs.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>

#ifdef _OPENMP
#include <omp.h>
#endif

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/enforce.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

// Paddle is compiled for AVX at most, so AVX2 code is selected at run time.
// Tests define SCATTER_OPS_PORTABLE to disable it: results are bitwise
// identical.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SCATTER_OPS_PORTABLE)
#define SCATTER_OPS_AVX2 1
#include <immintrin.h>
#define SCATTER_OPS_TARGET __attribute__((target("avx2,popcnt")))
#endif

// Asserts that a loop has no loop-carried dependence. Not for clang, which
// checks for overlap at run time, and warns if it cannot vectorize the loop.
#if defined(__GNUC__) && !defined(__clang__)
#define SCATTER_OPS_IVDEP _Pragma("GCC ivdep")
#else
#define SCATTER_OPS_IVDEP
#endif

// Vectorizes a loop of constant length instead of unrolling it.
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
  static const bool has_avx2 =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
  return has_avx2;
#else
  return false;
#endif
}

#ifdef SCATTER_OPS_AVX2
// Recompiles f and everything that it calls.
template <typename F>
SCATTER_OPS_TARGET __attribute__((flatten)) void CallForAvx2(const F& f) {
  f();
}
#endif

// Calls f compiled for AVX2 if available: AVX has no 256-bit integer
// instructions. Results are bitwise identical.
template <typename F>
void CallVectorized(const F& f) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) return CallForAvx2(f);
#endif
  f();
}

// CallVectorized for half types only, whose conversions use integer arithmetic.
template <typename T, typename F>
void CallVectorizedForHalf(const F& f) {
  if constexpr (kIsHalf<T>) {
    CallVectorized(f);
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

inline int NumThreadsFor(int64_t bytes) {
  return bytes < kParallelBytes ? 1 : NumThreads();
}

// Orders non-temporal stores of this thread before its subsequent stores.
inline void StoreFence() {
#ifdef SCATTER_OPS_AVX2
  _mm_sfence();
#endif
}

// Calls f(i) for each i in [0, count), in parallel if the loop reads or writes
// at least kParallelBytes. Calls must be independent. Rethrows the first
// exception after the parallel region, since one that leaves the region would
// terminate the process.
template <typename F>
void ParallelFor(int64_t count, int64_t bytes, const F& f) {
  if (count <= 1 || NumThreadsFor(bytes) == 1) {
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

// Partitions [0, numel) into tiles of equal size (the last may be shorter),
// about as many for each thread.
struct Tiles {
  int64_t numel;
  int64_t bytes;  // of all tiles
  int64_t size;
  int64_t count;

  Tiles(int64_t numel, int64_t element_bytes)
      : numel(numel), bytes(numel * element_bytes) {
    // At most a huge page, so that threads rarely fault the same one.
    constexpr int64_t kMaxTileBytes = 2 << 20;
    // Whole vectors of any element size, whole cache lines of a mask.
    constexpr int64_t kGranularity = 64;
    if (bytes < kParallelBytes) {  // without divisions
      size = std::max<int64_t>(numel, 1);
      count = numel > 0;
      return;
    }
    const int64_t threads = NumThreads();
    const int64_t target = threads * (bytes / threads / kMaxTileBytes + 1);
    size = (numel / target / kGranularity + 1) * kGranularity;
    count = (numel + size - 1) / size;
  }

  int64_t begin(int64_t i) const { return i * size; }
  int64_t end(int64_t i) const { return std::min(numel, (i + 1) * size); }
};

inline void ParallelZero(void* out, int64_t bytes) {
  const Tiles tiles(bytes, 1);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    std::memset(static_cast<char*>(out) + tiles.begin(i),
                0,
                tiles.end(i) - tiles.begin(i));
  });
}

template <typename T, typename Context>
T* AllocZeros(const Context& dev_ctx, DenseTensor* out) {
  T* data = dev_ctx.template Alloc<T>(out);
  ParallelZero(data, out->numel() * static_cast<int64_t>(sizeof(T)));
  return data;
}

// Whether the page at `address` is in memory. On failure, returns true.
inline bool IsResident(void* address) {
  unsigned char resident = 1;
#ifdef __linux__
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto offset = reinterpret_cast<uintptr_t>(address) & (page - 1);
  mincore(static_cast<char*>(address) - offset, 1, &resident);
#endif
  return resident & 1;
}

// Whether to write an output with non-temporal stores. They avoid the
// read-for-ownership of each line, a third of the traffic of a copy. Outputs
// below 32 MiB may stay in the caches for the next reader, and the first access
// to a fresh page leaves it there: regular stores are faster.
inline bool UseNonTemporalStores(void* out, int64_t bytes, bool in_place) {
  constexpr int64_t kMinStreamedBytes = 32 << 20;
  return !in_place && bytes >= kMinStreamedBytes && HasAvx2() &&
         IsResident(static_cast<char*>(out) + bytes / 2);
}

#ifdef SCATTER_OPS_AVX2
SCATTER_OPS_TARGET inline void NonTemporalCopy(void* out,
                                               const void* in,
                                               int64_t bytes) {
  constexpr int64_t kLineBytes = 64;
  auto* const to = static_cast<char*>(out);
  const auto* const from = static_cast<const char*>(in);
  int64_t at = -reinterpret_cast<intptr_t>(out) & (kLineBytes - 1);
  std::memcpy(to, from, at);
  for (; at + kLineBytes <= bytes; at += kLineBytes) {
    const auto* in_line = reinterpret_cast<const __m256i*>(from + at);
    auto* out_line = reinterpret_cast<__m256i*>(to + at);
    const __m256i low = _mm256_loadu_si256(in_line);
    const __m256i high = _mm256_loadu_si256(in_line + 1);
    _mm256_stream_si256(out_line, low);
    _mm256_stream_si256(out_line + 1, high);
  }
  std::memcpy(to + at, from + at, bytes - at);
}
#endif

// If `non_temporal`, ParallelFor issues the fence.
inline void StreamCopy(void* out,
                       const void* in,
                       int64_t bytes,
                       bool non_temporal) {
#ifdef SCATTER_OPS_AVX2
  constexpr int64_t kMinBytes = 512;  // shorter copies are mostly partial lines
  if (non_temporal && bytes >= kMinBytes) {
    return NonTemporalCopy(out, in, bytes);
  }
#endif
  std::memcpy(out, in, bytes);
}

// Calls f(to, begin, n) for consecutive blocks of an output, of at most `block`
// elements. `to` is the output or, if `non_temporal`, a buffer. It is small, so
// that its non-temporal copy overlaps with the loads of the next block.
template <typename Storage, typename F>
void ForEachBlock(Storage* out,
                  int64_t begin,
                  int64_t end,
                  int64_t block,
                  bool non_temporal,
                  const F& f) {
  constexpr int64_t kBufferElements = 4096 / sizeof(Storage);
  Storage buffer[kBufferElements];
  if (non_temporal) block = std::min(block, kBufferElements);
  for (int64_t b = begin; b < end; b += block) {
    const int64_t n = std::min(block, end - b);
    f(non_temporal ? buffer : out + b, b, n);
    if (non_temporal) StreamCopy(out + b, buffer, n * sizeof(Storage), true);
  }
}

}  // namespace phi::funcs::scatter_ops
