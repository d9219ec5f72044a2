// Paddle's caching allocator, which its GPUs use, for CPU Tensors: what is
// freed stays for the next Tensor, up to a limit.

#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "memory/chunk_allocator.h"
#include "paddle/phi/core/memory/allocation/auto_growth_best_fit_allocator.h"

namespace native_ops {

class CachingAllocator
    : public paddle::memory::allocation::AutoGrowthBestFitAllocator {
 public:
  // In bytes. What is neither in use nor idle lies in chunks of which a part is
  // in use: it serves Tensors, but can't be given back.
  struct Usage {
    size_t reserved;
    size_t in_use;
    size_t idle;
  };

  explicit CachingAllocator(std::shared_ptr<ChunkAllocator> chunks);

  // Gives idle memory back to the system where it is above the limit, all of
  // it: to look for a part of it would take as long.
  void ObeyLimit();

  // Gives all idle memory back; returns how many bytes.
  size_t GiveBack();

  // The same, but 0 where a thread is in a call, which may be this one.
  size_t TryGiveBack();

  Usage usage();

  // Held while the process forks: a child has none of the threads that would
  // release it.
  std::mutex& mutex() { return mutex_; }

 protected:
  phi::Allocation* AllocateImpl(size_t size) override;
  void FreeImpl(phi::Allocation* block) override;
  uint64_t ReleaseImpl(const phi::Place&) override { return GiveBack(); }

 private:
  size_t FreeIdle();

  // Around every call, so that what is idle is known without a walk over the
  // chunks; the lock of the base class, inside it, is never waited for.
  std::mutex mutex_;
  std::shared_ptr<ChunkAllocator> chunks_;
  size_t in_use_ = 0;
};

}  // namespace native_ops
