#include "memory/chunk_allocator.h"

#include <sys/mman.h>

#include "memory/cpu_allocator_abi.h"
#include "paddle/phi/core/enforce.h"

namespace native_ops {
namespace {

// Page faults of 4 KiB cost several times what filling the memory does. A
// hint: harmless where it has no effect.
void AdviseHugePages(void* chunk, size_t size) {
  constexpr size_t kWorthIt = 4 << 20;
  if (size >= kWorthIt) madvise(chunk, size, MADV_HUGEPAGE);
}

// Counts a chunk in Paddle's statistics.
void CountReserved(int64_t increment) {
  static const auto& what = *new std::string("Reserved");
  paddle::memory::HostMemoryStatUpdate(what, /*device=*/0, increment);
}

}  // namespace

phi::Allocation* ChunkAllocator::AllocateImpl(size_t size) {
  void* chunk = mmap(nullptr,
                     size,
                     PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS,
                     -1,
                     0);
  PADDLE_ENFORCE_NE(chunk,
                    MAP_FAILED,
                    common::errors::ResourceExhausted(
                        "Fail to alloc memory of %ld size.", size));
  AdviseHugePages(chunk, size);
  CountReserved(size);
  bytes_ += size;
  ++made_;
  return new paddle::memory::allocation::Allocation(
      chunk, size, phi::CPUPlace());
}

void ChunkAllocator::FreeImpl(phi::Allocation* chunk) {
  munmap(chunk->ptr(), chunk->size());
  CountReserved(-static_cast<int64_t>(chunk->size()));
  bytes_ -= chunk->size();
  idle_ -= chunk->size();
  delete chunk;
}

}  // namespace native_ops
