// check SEED ROUNDS: random cases of every kernel.
// check fault NAME: a fault that a sanitizer has to find.

#include <atomic>
#include <limits>
#include <new>
#include <string>

#include "check.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/pages.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"

// The kernels' flags, which Paddle is not here to know.
namespace paddle_flags {
bool FLAGS_scatter_ops_use_huge_pages = true;
bool FLAGS_scatter_ops_use_avx2 = true;
}  // namespace paddle_flags

namespace ops = phi::funcs::scatter_ops;

namespace check {

// One of many calls throws, in whatever thread.
void CheckExceptions() {
  std::atomic<int> calls{0};
  try {
    ops::ParallelFor(100, 1 << 20, [&](int64_t i) {
      ++calls;
      if (i % 7 == 3) throw std::bad_alloc();
    });
  } catch (const std::bad_alloc&) {
    if (calls >= 4 && calls < 100) return;
  }
  std::fprintf(stderr, "ParallelFor: an exception did not end the loop\n");
  std::exit(1);
}

namespace {

// A kernel is told of one value more than there is.
void ReadBehindTheEnd() {
  constexpr int64_t kCount = 64;
  const Array<uint32_t> value(kCount - 1);
  const Array<uint32_t> x(kCount);
  Array<uint32_t> out(kCount);
  Array<uint8_t> mask(kCount);
  std::fill_n(mask.data(), kCount, 1);
  ops::ScatterBlock<uint32_t>(ops::TileStores(ops::Stores::kOrdinary),
                              out.data(),
                              x.data(),
                              mask.data(),
                              value.data(),
                              kCount,
                              kCount);
}

void ReadOddBool() {
  Array<unsigned char> bytes(1);
  bytes[0] = 2;
  bool scratch[2];
  const ops::BroadcastView view(common::make_ddim({2}), common::make_ddim({1}));
  view.Read(reinterpret_cast<const bool*>(bytes.data()), 0, 2, scratch);
}

void OverflowSigned() {
  volatile int32_t most = std::numeric_limits<int32_t>::max();
  most = most + 1;
}

// Two threads write the same element, after each has waited for the other.
void Race() {
  SetThreads(2);
  Array<int64_t> shared(1);
  std::atomic<int> arrived{0};
  ops::ParallelFor(2, 1 << 20, [&](int64_t i) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) {
    }
    shared[0] = i;
  });
}

int RunFault(const std::string& name) {
  if (name == "over-read") ReadBehindTheEnd();
  if (name == "bool") ReadOddBool();
  if (name == "overflow") OverflowSigned();
  if (name == "race") Race();
  return 0;
}

void RunRounds(uint64_t seed, int rounds) {
  Random random(seed);
  int64_t cases = 0;
  for (int round = 0; round < rounds; ++round) {
    SetThreads(1 + static_cast<int>(Below(&random, 3)));
    cases += CheckMasked(&random) + CheckStrided(&random) +
             CheckIndexed(&random) + CheckIndexedGrads(&random);
    CheckExceptions();
  }
  std::printf("%lld cases\n", static_cast<long long>(cases));
}

}  // namespace
}  // namespace check

int main(int count, char** words) {
  if (count != 3) return 2;
  if (std::string(words[1]) == "fault") return check::RunFault(words[2]);
  check::RunRounds(std::strtoull(words[1], nullptr, 10), std::atoi(words[2]));
  return 0;
}
