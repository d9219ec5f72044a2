#include "memory/caching_allocator.h"

#include <algorithm>
#include <utility>

#include "memory/idle_limit.h"

namespace native_ops {
namespace {

using Lock = std::lock_guard<std::mutex>;
using Base = paddle::memory::allocation::AutoGrowthBestFitAllocator;

// As large as a cache line, and what vector code aligns to.
constexpr size_t kAlignment = 64;

// Whether all of a chunk is free but this block. Free neighbours are merged, so
// there are two more at most.
template <typename Block>
bool IsAloneInChunk(const Block& block) {
  const auto& blocks = block.chunk_->blocks_;
  return blocks.size() <= 3 &&
         std::all_of(blocks.begin(), blocks.end(), [&](const Block& other) {
           return &other == &block || other.is_free_;
         });
}

}  // namespace

CachingAllocator::CachingAllocator(std::shared_ptr<ChunkAllocator> chunks)
    : Base(chunks, kAlignment), chunks_(std::move(chunks)) {}

phi::Allocation* CachingAllocator::AllocateImpl(size_t size) {
  const Lock lock(mutex_);
  const size_t made = chunks_->made();
  phi::Allocation* allocation = Base::AllocateImpl(size);
  const Block& block = *static_cast<BlockAllocation*>(allocation)->block_it_;
  in_use_ += block.size_;
  if (made == chunks_->made() && IsAloneInChunk(block)) {
    chunks_->TakeIdle(block.chunk_->allocation_->size());
  }
  return allocation;
}

void CachingAllocator::FreeImpl(phi::Allocation* allocation) {
  const Lock lock(mutex_);
  const Block& block = *static_cast<BlockAllocation*>(allocation)->block_it_;
  in_use_ -= block.size_;
  if (IsAloneInChunk(block)) {
    chunks_->AddIdle(block.chunk_->allocation_->size());
  }
  Base::FreeImpl(allocation);
  if (chunks_->idle() > IdleLimit()) FreeIdle();
}

void CachingAllocator::ObeyLimit() {
  if (chunks_->idle() > IdleLimit()) GiveBack();
}

size_t CachingAllocator::GiveBack() {
  const Lock lock(mutex_);
  return FreeIdle();
}

size_t CachingAllocator::TryGiveBack() {
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  return lock.owns_lock() ? FreeIdle() : 0;
}

size_t CachingAllocator::FreeIdle() {
  const std::lock_guard<paddle::memory::SpinLock> lock(spinlock_);
  return FreeIdleChunks();
}

CachingAllocator::Usage CachingAllocator::usage() {
  const Lock lock(mutex_);
  return {chunks_->bytes(), in_use_, chunks_->idle()};
}

}  // namespace native_ops
