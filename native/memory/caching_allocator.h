// Paddle's caching allocator, which its GPUs use, for CPU Tensors: what is
// freed stays for the next Tensor, up to a limit.

#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "paddle/phi/core/enforce.h"
#include "paddle/phi/core/memory/allocation/auto_growth_best_fit_allocator.h"

// libphi_core exports it; its header needs those of glog, which the wheel does
// not ship.
namespace paddle::memory {
// Adds to what core.host_memory_stat_current_value(what, device) tells.
void HostMemoryStatUpdate(const std::string& what,
                          int device,
                          int64_t increment);
}  // namespace paddle::memory

namespace native_ops {

// What FLAGS_cpu_idle_memory_limit_in_mb says now, in bytes. 0: nothing is
// kept.
size_t IdleLimit();

// Asks the system for each chunk and gives it back when it is freed, which
// malloc may not. Not to be called by two threads at a time.
class ChunkAllocator : public paddle::memory::allocation::Allocator {
 public:
  bool IsAllocThreadSafe() const override { return true; }

  size_t bytes() const { return bytes_; }  // of all chunks

  // Of chunks that are free as a whole, as a new one is. Such a one alone is
  // given back.
  size_t idle() const { return idle_; }
  void AddIdle(int64_t increment) { idle_ += increment; }

 protected:
  phi::Allocation* AllocateImpl(size_t size) override {
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
    // Page faults of 4 KiB cost several times what filling the memory does. A
    // hint: harmless where it has no effect.
    constexpr size_t kWorthIt = 4 << 20;
    if (size >= kWorthIt) madvise(chunk, size, MADV_HUGEPAGE);
    Count(size);
    return new paddle::memory::allocation::Allocation(
        chunk, size, phi::CPUPlace());
  }

  void FreeImpl(phi::Allocation* chunk) override {
    munmap(chunk->ptr(), chunk->size());
    Count(-static_cast<int64_t>(chunk->size()));
    delete chunk;
  }

 private:
  // Here and in Paddle's statistics.
  void Count(int64_t increment) {
    static const auto& what = *new std::string("Reserved");
    paddle::memory::HostMemoryStatUpdate(what, /*device=*/0, increment);
    bytes_ += increment;
    idle_ += increment;
  }

  size_t bytes_ = 0;
  size_t idle_ = 0;
};

class CachingAllocator
    : public paddle::memory::allocation::AutoGrowthBestFitAllocator {
  using Base = paddle::memory::allocation::AutoGrowthBestFitAllocator;
  using Lock = std::lock_guard<std::mutex>;
  // As large as a cache line, and what vector code aligns to.
  static constexpr size_t kAlignment = 64;

 public:
  explicit CachingAllocator(std::shared_ptr<ChunkAllocator> chunks)
      : Base(chunks, kAlignment), chunks_(std::move(chunks)) {}

  void ObeyLimit() {
    const Lock lock(mutex_);
    FreeAboveLimit();
  }

  // Gives all idle memory back; returns how many bytes.
  size_t GiveBack() {
    const Lock lock(mutex_);
    return FreeIdle();
  }

  // The same, but 0 where a thread is in a call, which may be this one.
  size_t TryGiveBack() {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    return lock.owns_lock() ? FreeIdle() : 0;
  }

  // In bytes. What is neither in use nor idle lies in chunks of which a part is
  // in use: it serves Tensors, but can't be given back.
  std::map<std::string, size_t> usage() {
    const Lock lock(mutex_);
    return {{"limit", IdleLimit()},
            {"reserved", chunks_->bytes()},
            {"in_use", in_use_},
            {"idle", chunks_->idle()}};
  }

  // Held while the process forks: a child has none of the threads that would
  // release it.
  std::mutex& mutex() { return mutex_; }

 protected:
  phi::Allocation* AllocateImpl(size_t size) override {
    const Lock lock(mutex_);
    phi::Allocation* allocation = Base::AllocateImpl(size);
    CountUse(allocation, 1);
    return allocation;
  }

  void FreeImpl(phi::Allocation* allocation) override {
    const Lock lock(mutex_);
    CountUse(allocation, -1);
    Base::FreeImpl(allocation);
    FreeAboveLimit();
  }

  uint64_t ReleaseImpl(const phi::Place&) override { return GiveBack(); }

 private:
  // `sign`: 1 of a block that has been taken, -1 of one that will be freed.
  void CountUse(phi::Allocation* allocation, int64_t sign) {
    const Block& used = *static_cast<BlockAllocation*>(allocation)->block_it_;
    in_use_ += sign * used.size_;
    // Free neighbours are merged: where all else is free, there are two more.
    const auto& blocks = used.chunk_->blocks_;
    if (blocks.size() > 3) return;
    for (const Block& other : blocks) {
      if (&other != &used && !other.is_free_) return;
    }
    chunks_->AddIdle(-sign * used.chunk_->allocation_->size());
  }

  // All that is idle: to look for a part of it would take as long.
  void FreeAboveLimit() {
    if (chunks_->idle() > IdleLimit()) FreeIdle();
  }

  size_t FreeIdle() {
    const std::lock_guard<paddle::memory::SpinLock> lock(spinlock_);
    return FreeIdleChunks();
  }

  // Around every call, so that what is idle is known without a walk over the
  // chunks; the lock of the base class, inside it, is never waited for.
  std::mutex mutex_;
  std::shared_ptr<ChunkAllocator> chunks_;
  size_t in_use_ = 0;
};

}  // namespace native_ops
