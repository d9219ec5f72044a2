// Faults that a sanitizer has to find, and whether an exception of one of many
// calls arrives.

#include <atomic>
#include <limits>
#include <new>
#include <string>

#include "call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"

namespace ops = phi::funcs::scatter_ops;
using check::Array;

namespace {

void ReadOddBool(const Array& bytes) {
  bytes.as<uint8_t>()[0] = 2;
  bool scratch[2];
  const ops::BroadcastView view(common::make_ddim({2}), common::make_ddim({1}));
  view.Read(bytes.as<bool>(), 0, 2, scratch);
}

void OverflowSigned() {
  volatile int32_t most = std::numeric_limits<int32_t>::max();
  most = most + 1;
}

// Two threads write the same element, after each has waited for the other.
void Race(const Array& bytes) {
  std::atomic<int> arrived{0};
  ops::ParallelFor(2, 1 << 20, [&](int64_t i) {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) {
    }
    bytes.as<int64_t>()[0] = i;
  });
}

}  // namespace

CHECKED void plant_fault(const char* name, Array bytes) {
  const std::string fault = name;
  if (fault == "bool") ReadOddBool(bytes);
  if (fault == "overflow") OverflowSigned();
  if (fault == "race") Race(bytes);
}

CHECKED bool exception_ends_the_loop() {
  std::atomic<int> calls{0};
  try {
    ops::ParallelFor(100, 1 << 20, [&](int64_t i) {
      ++calls;
      if (i % 7 == 3) throw std::bad_alloc();
    });
  } catch (const std::bad_alloc&) {
    return calls >= 4 && calls < 100;
  }
  return false;
}
