// Where the caching allocator's memory comes from.

#pragma once

#include <atomic>
#include <cstddef>

#include "paddle/phi/core/memory/allocation/allocator.h"

namespace native_ops {

// Asks the system for each chunk and gives it back when it is freed, which
// malloc may not. Not to be called by two threads at a time.
class ChunkAllocator : public paddle::memory::allocation::Allocator {
 public:
  bool IsAllocThreadSafe() const override { return true; }

  size_t bytes() const { return bytes_; }  // of all chunks
  size_t made() const { return made_; }    // chunks, ever

  // Of chunks that are free as a whole. Such a one alone is given back.
  size_t idle() const { return idle_; }
  void AddIdle(size_t bytes) { idle_ += bytes; }
  void TakeIdle(size_t bytes) { idle_ -= bytes; }

 protected:
  phi::Allocation* AllocateImpl(size_t size) override;
  void FreeImpl(phi::Allocation* chunk) override;

 private:
  size_t bytes_ = 0;
  size_t made_ = 0;
  std::atomic<size_t> idle_{0};
};

}  // namespace native_ops
