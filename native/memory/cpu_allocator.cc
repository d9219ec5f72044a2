#include "memory/cpu_allocator.h"

#include <cstring>

#include "memory/idle_limit.h"
#include "paddle/common/flags.h"

COMMON_DECLARE_bool(init_allocated_mem);

namespace native_ops {
namespace {

constexpr size_t kLarge = 512 << 10;

// What tests of kernels ask for, which must not count on zeros.
void FillAsFlagsSay(const phi::Allocation& allocation) {
  if (FLAGS_init_allocated_mem) {
    std::memset(allocation.ptr(), 0xEF, allocation.size());
  }
  if (FLAGS_alloc_fill_value >= 0) {
    std::memset(allocation.ptr(), FLAGS_alloc_fill_value, allocation.size());
  }
}

}  // namespace

CpuAllocator::AllocationPtr CpuAllocator::AllocateOnce(size_t size) {
  if (size < kLarge) return own_->Allocate(size);
  caching_->ObeyLimit();
  return IdleLimit() == 0 ? own_->Allocate(size) : caching_->Allocate(size);
}

CpuAllocator::AllocationPtr CpuAllocator::Allocate(size_t size) {
  AllocationPtr allocation;
  try {
    allocation = AllocateOnce(size);
  } catch (...) {
    if (caching_->GiveBack() == 0) throw;
    allocation = AllocateOnce(size);
  }
  FillAsFlagsSay(*allocation);
  return allocation;
}

}  // namespace native_ops
