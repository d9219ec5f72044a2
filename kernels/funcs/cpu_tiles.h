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

// What the CPU kernels of the masked and scatter operators do around their
// loops: split work over threads, take big outputs in big pages, and tell where
// memory runs out.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "paddle/common/flags.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/enforce.h"

PHI_DECLARE_bool(scatter_ops_use_huge_pages);

namespace phi {
namespace funcs {
namespace scatter_ops {

// Below this many bytes a second thread costs more than it saves.
constexpr int64_t kParallelBytes = 128 << 10;
// A tile covers whole huge pages of a big output, so that two threads don't
// fault in the same one.
constexpr int64_t kMaxTileBytes = 2 << 20;
constexpr int64_t kMinTileBytes = 64 << 10;
// For fewer bytes than this, asking whether their pages are there yet costs
// more than it saves.
constexpr int64_t kPopulateBytes = 512 << 10;

inline int NumThreads() {
#ifdef _OPENMP
  return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
  return 1;
#endif
}

#ifdef _OPENMP
// Calls f(0) ... f(count - 1) on all threads. They share a counter: calls
// differ in their work, so whoever is done takes the next one.
//
// An exception that leaves a parallel region ends the process. So the first one
// is kept until the threads have joined; the others take no further call.
template <typename F>
void ForOnAllThreads(int64_t count, const F& f) {
  std::atomic<int64_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
#pragma omp parallel
  {
    try {
      for (int64_t i = next++; i < count; i = next++) f(i);
    } catch (...) {
      next = count;
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}
#endif

// Calls f(0) ... f(count - 1), on all threads if the work is worth it. The
// calls must not depend on each other. After an exception, such as that of
// memory which runs out, some calls are not made.
template <typename F>
void ParallelFor(int64_t count, int64_t bytes, const F& f) {
#ifdef _OPENMP
  if (count > 1 && bytes >= kParallelBytes && NumThreads() > 1) {
    ForOnAllThreads(count, f);
    return;
  }
#endif
  for (int64_t i = 0; i < count; ++i) f(i);
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
  int64_t size;
  int64_t count;

  Tiles(int64_t numel, int64_t element_bytes) : numel(numel) {
    // Several tiles a thread, so that a slow one leaves its last to others.
    const int64_t shares = NumThreads() == 1 ? 1 : NumThreads() * 4;
    const int64_t wanted = numel * element_bytes / shares;
    const int64_t bytes =
        std::min(kMaxTileBytes, std::max(kMinTileBytes, wanted));
    // Whole vectors of every element size, whole cache lines of the mask.
    size = std::max<int64_t>(64, bytes / element_bytes / 64 * 64);
    count = (numel + size - 1) / size;
  }

  int64_t begin(int64_t i) const { return i * size; }
  int64_t end(int64_t i) const { return std::min(numel, (i + 1) * size); }
};

// Asks for huge pages inside a big fresh buffer: page faults of 4 KiB cost
// several times the copy itself. A hint: harmless where it has no effect.
// scatter_op_flags.cc says when it is given, and how to turn it off.
inline void AdviseHugePages(void* data, int64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr int64_t kPage = 2 << 20;
  if (bytes < 2 * kPage || !FLAGS_scatter_ops_use_huge_pages) return;
  const uintptr_t start = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (start + kPage - 1) / kPage * kPage;
  const uintptr_t last = (start + bytes) / kPage * kPage;
  if (last > first) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
#endif
}

// Maps the pages of a part of a fresh output, which the calling thread is about
// to fill, by one call: where there are no huge pages, a fault for each costs
// more. A hint like the other one; Linux before 5.14 ignores it. Memory that
// malloc hands out again is mapped already, and walking it would only cost: so
// the first page is asked about.
template <typename Word>
void PopulatePages(Word* data, int64_t begin, int64_t end) {
#ifdef __linux__
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE
  static const uintptr_t page = sysconf(_SC_PAGESIZE);
  const uintptr_t first =
      (reinterpret_cast<uintptr_t>(data + begin) + page - 1) / page * page;
  const uintptr_t last = reinterpret_cast<uintptr_t>(data + end) / page * page;
  if (last < first + kPopulateBytes) return;
  void* const start = reinterpret_cast<void*>(first);
  unsigned char resident = 0;
  if (mincore(start, page, &resident) == 0 && (resident & 1) != 0) return;
  madvise(start, last - first, kPopulateWrite);
#endif
}

// dev_ctx.Alloc for an output that is about to be written as a whole.
template <typename T, typename Context>
T* AllocOutput(const Context& dev_ctx, DenseTensor* out) {
  T* data = dev_ctx.template Alloc<T>(out);
  AdviseHugePages(data, out->numel() * static_cast<int64_t>(sizeof(T)));
  return data;
}

// memcpy by all threads.
inline void ParallelCopy(void* out, const void* in, int64_t bytes) {
  if (out == in || bytes == 0) return;
  const Tiles tiles(bytes, 1);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    PopulatePages(static_cast<char*>(out), tiles.begin(i), tiles.end(i));
    std::memcpy(static_cast<char*>(out) + tiles.begin(i),
                static_cast<const char*>(in) + tiles.begin(i),
                tiles.end(i) - tiles.begin(i));
  });
}

// memset to zero by all threads.
inline void ParallelZero(void* out, int64_t bytes) {
  const Tiles tiles(bytes, 1);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    std::memset(static_cast<char*>(out) + tiles.begin(i),
                0,
                tiles.end(i) - tiles.begin(i));
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
