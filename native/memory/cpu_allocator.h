// Which allocator serves a CPU Tensor.

#pragma once

#include <memory>

#include "memory/caching_allocator.h"
#include "paddle/phi/core/memory/allocation/allocator.h"

namespace native_ops {

// Large Tensors, for which malloc would ask the system each time, are served by
// the caching allocator, small ones by Paddle's own.
class CpuAllocator : public paddle::memory::allocation::Allocator {
 public:
  using AllocationPtr = paddle::memory::allocation::AllocationPtr;

  CpuAllocator(std::shared_ptr<paddle::memory::allocation::Allocator> own,
               std::shared_ptr<CachingAllocator> caching)
      : own_(std::move(own)), caching_(std::move(caching)) {}

  bool IsAllocThreadSafe() const override { return true; }

  // An allocation names the one of the two that it is from, and goes back
  // there: whatever the limit was then, and if it is older than this object.
  AllocationPtr Allocate(size_t size) override;
  void Free(phi::Allocation* allocation) override {
    AllocationDeleter(allocation);
  }

 protected:
  phi::Allocation* AllocateImpl(size_t) override { return nullptr; }
  uint64_t ReleaseImpl(const phi::Place& place) override {
    return caching_->Release(place);
  }

 private:
  AllocationPtr AllocateOnce(size_t size);

  std::shared_ptr<paddle::memory::allocation::Allocator> own_;
  std::shared_ptr<CachingAllocator> caching_;
};

}  // namespace native_ops
