// usage: check SEED ROUNDS, or check FAULT
//
// Runs random cases, or has a fault that a sanitizer has to find. OpenMP's
// functions are here, on threads that a sanitizer knows: it would not see how a
// ready-made runtime orders its own.

#include <atomic>
#include <iostream>
#include <limits>
#include <string>
#include <thread>  // NOLINT

#include "cases.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"

namespace {

int threads = 2;
thread_local bool in_parallel = false;

}  // namespace

extern "C" {

int omp_get_max_threads() { return threads; }
int omp_in_parallel() { return in_parallel; }

// What a compiler makes of "omp parallel".
void GOMP_parallel(void (*body)(void*), void* data, unsigned, unsigned) {
  const auto run = [=] {
    in_parallel = true;
    body(data);
    in_parallel = false;
  };
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run);
  run();
  for (std::thread& other : others) other.join();
}

}  // extern "C"

namespace check {
namespace {

// One value more than there is.
void OverRead() {
  const Array<uint32_t> out({64}), value({63});
  const auto mask = Filled<uint8_t>({64}, [] { return 1; });
  const ops::BroadcastView same(out.shape, out.shape);
  ops::MaskedScatterCpu<uint32_t>(
      out, 64, {out, same}, {mask, same}, value, 64, true);
}

// Two threads write the same elements, after each has waited for the other. One
// element would not do: of two writes at once, a sanitizer may see neither.
void Race() {
  const Array<int64_t> array({1000});
  std::atomic<int> arrived{0};
  ops::ParallelFor(2, 1 << 20, [&](int64_t i) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) {
    }
    for (int64_t k = 0; k < array.numel; ++k) array[k] = i;
  });
}

}  // namespace
}  // namespace check

int main(int, char** words) {
  const std::string first = words[1];
  volatile int32_t most = std::numeric_limits<int32_t>::max();
  if (first == "overflow") most = most + 1;
  if (first == "over-read") check::OverRead();
  if (first == "race") check::Race();
  check::engine.seed(std::stoul(first));
  for (int i = std::stoi(words[2]); i > 0; --i) {
    threads = 1 + check::Below(3);
    check::CheckWords();
    check::CheckIndexed();
  }
  std::cout << check::cases << " cases, " << std::hex << check::found << '\n';
}
