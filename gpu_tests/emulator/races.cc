// Finds races between the threads of a block: two accesses of one byte, one of
// them a write, that no barrier puts in an order. Shuffles order nothing, as on
// a device.
//
// A source that is compiled with -fsanitize=thread calls these functions at
// every access of memory; the compiler's own library for them, which knows
// nothing of fibers, is not linked.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "device_code.h"

namespace {

using cuda_emulator::Moment;

// What was done last to a byte. Of the readers the last two that differ: one
// of them is not the thread that writes next.
struct Byte {
  Moment writer{-1, -1};
  Moment reader{-1, -1};
  Moment other_reader{-1, -1};
};

bool Unordered(const Moment& a, const Moment& b) {
  return a.thread >= 0 && a.thread != b.thread && a.barriers == b.barriers;
}

void Race(const char* what, const Moment& first, const Moment& second) {
  std::fprintf(stderr,
               "cuda_emulator: a race: threads %d and %d of a block, %s\n",
               first.thread,
               second.thread,
               what);
  std::abort();
}

void Touch(Byte* byte, const Moment& now, bool write) {
  if (Unordered(byte->writer, now)) {
    Race(write ? "both write" : "a write and a read", byte->writer, now);
  }
  if (!write) {
    if (byte->reader.thread != now.thread) byte->other_reader = byte->reader;
    byte->reader = now;
    return;
  }
  for (const Moment& reader : {byte->reader, byte->other_reader}) {
    if (Unordered(reader, now)) Race("a read and a write", reader, now);
  }
  byte->writer = now;
}

void Access(const void* data, size_t size, bool write) {
  const Moment now = cuda_emulator::Now();
  if (now.thread < 0) return;
  static thread_local std::unordered_map<uintptr_t, Byte> bytes;
  for (size_t i = 0; i < size; ++i) {
    Touch(&bytes[reinterpret_cast<uintptr_t>(data) + i], now, write);
  }
}

}  // namespace

extern "C" {

#define ACCESS(name, size, write) \
  void __tsan_##name(void* data) { Access(data, size, write); }
#define ACCESSES(size)                      \
  ACCESS(read##size, size, false)           \
  ACCESS(write##size, size, true)           \
  ACCESS(unaligned_read##size, size, false) \
  ACCESS(unaligned_write##size, size, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void* data, size_t size) { Access(data, size, false); }
void __tsan_write_range(void* data, size_t size) { Access(data, size, true); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}

// Atomics race with nothing here.
uint32_t __tsan_atomic32_fetch_add(uint32_t* p, uint32_t value, int) {
  return __atomic_fetch_add(p, value, __ATOMIC_SEQ_CST);
}
uint64_t __tsan_atomic64_load(const uint64_t* p, int) {
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
bool __tsan_atomic64_compare_exchange_strong(
    uint64_t* p, uint64_t* seen, uint64_t wanted, int, int) {
  return __atomic_compare_exchange_n(
      p, seen, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

}  // extern "C"
