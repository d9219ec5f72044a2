// The least time in which a machine can move the bytes of a case: one copy into
// fresh memory in huge pages, and the rest between buffers already touched.
// Built from the header that the kernels use, for the same threads and tiles.

#include <cstdlib>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/pages.h"

// A library of its own has the flags of the kernels to itself: this one as
// Paddle reads it, from the environment of the case.
namespace paddle_flags {
bool FLAGS_scatter_ops_use_huge_pages = [] {
  const char* value = std::getenv("FLAGS_scatter_ops_use_huge_pages");
  return value == nullptr || std::strcmp(value, "0") != 0;
}();
}  // namespace paddle_flags

extern "C" void kmp_set_blocktime(int milliseconds);

namespace {

namespace ops = phi::funcs::scatter_ops;

constexpr int kUsualBlocktime = 200;

struct Buffer {
  char* data = nullptr;
  int64_t bytes = 0;

  void Reserve(int64_t wanted) {
    if (wanted <= bytes) return;
    std::free(data);
    data = nullptr;
    bytes = 0;
    if (posix_memalign(reinterpret_cast<void**>(&data), 64, wanted) != 0) {
      data = nullptr;
      return;
    }
    ops::AdviseHugePages(data, wanted);
    std::memset(data, 1, wanted);
    bytes = wanted;
  }
};

Buffer source;
Buffer target;

}  // namespace

#define BENCH_EXPORT extern "C" __attribute__((visibility("default")))

// Buffers for bench_limit; false if memory ran out. Not part of the limit.
BENCH_EXPORT int bench_limit_prepare(int64_t fresh, int64_t touched) {
  source.Reserve(fresh > touched ? fresh : touched);
  target.Reserve(touched);
  return (source.data != nullptr || fresh + touched == 0) &&
         (target.data != nullptr || touched == 0);
}

BENCH_EXPORT int bench_limit(int64_t fresh, int64_t touched) {
  if (fresh > 0) {
    void* out = nullptr;
    if (posix_memalign(&out, 64, fresh) != 0) return 0;
    ops::AdviseHugePages(out, fresh);
    ops::ParallelCopy(out, source.data, fresh);
    std::free(out);
  }
  if (touched > 0) ops::ParallelCopy(target.data, source.data, touched);
  return 1;
}

BENCH_EXPORT void bench_limit_free() {
  std::free(source.data);
  std::free(target.data);
  source = Buffer();
  target = Buffer();
}

BENCH_EXPORT int bench_threads() { return ops::NumThreads(); }

// Sends the OpenMP threads to sleep. After a parallel loop they spin for a
// while, which would take processor time from the next side's turn.
BENCH_EXPORT void bench_quiet() {
  kmp_set_blocktime(0);
  std::atomic<int> count{0};
#pragma omp parallel
  { ++count; }
  kmp_set_blocktime(kUsualBlocktime);
}
