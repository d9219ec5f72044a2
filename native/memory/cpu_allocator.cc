#include "memory/cpu_allocator.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <typeinfo>

#include "memory/caching_allocator.h"
#include "paddle/common/flags.h"
#include "paddle/phi/core/memory/allocation/allocator_facade.h"

COMMON_DECLARE_bool(init_allocated_mem);

/**
 * Idle memory of CPU Tensors
 * Name: FLAGS_cpu_idle_memory_limit_in_mb
 * Value Range: int64, default=-1
 * Note: The memory of freed Tensors of 512 KiB and more is kept for the next
 *       ones, up to so many MiB; above that all that lies in no chunk with a
 *       Tensor in use goes back to the system. -1: an eighth of the machine's
 *       memory, but at most 4096. 0: off, each Tensor asks malloc, as in a
 *       Paddle without these operators. A change holds from the next such
 *       Tensor on that is made or freed.
 */
PHI_DEFINE_EXPORTED_int64(
    cpu_idle_memory_limit_in_mb,
    -1,
    "How many MiB of freed CPU Tensors are kept for the next ones. -1: an "
    "eighth of the machine's memory, at most 4096. 0: off.");

namespace native_ops {
namespace {

namespace allocation = paddle::memory::allocation;

// The first number in a file; `otherwise` where there is none ("max").
size_t NumberIn(const char* path, size_t otherwise) {
  size_t number;
  std::ifstream file(path);
  return file >> number ? number : otherwise;
}

// Of the machine, or of the container where that is less.
size_t MachineBytes() {
  const size_t all = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return std::min(
      {all,
       NumberIn("/sys/fs/cgroup/memory.max", all),
       NumberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes", all)});
}

constexpr size_t kLarge = 512 << 10;

// What tests of kernels ask for, which must not count on zeros.
void FillAsFlagsSay(const phi::Allocation& allocation) {
  int byte = FLAGS_alloc_fill_value;
  if (byte < 0 && FLAGS_init_allocated_mem) byte = 0xEF;
  if (byte >= 0) std::memset(allocation.ptr(), byte, allocation.size());
}

// Null until it is installed. Never destroyed: Tensors may be freed when the
// process ends.
CachingAllocator* caching = nullptr;

// Large Tensors, for which malloc would ask the system each time, are served by
// the caching allocator, small ones by Paddle's own.
class CpuAllocator : public allocation::Allocator {
 public:
  using AllocationPtr = allocation::AllocationPtr;

  explicit CpuAllocator(std::shared_ptr<allocation::Allocator> own)
      : own_(std::move(own)) {}

  bool IsAllocThreadSafe() const override { return true; }

  // An allocation names the one of the two that it is from, and goes back
  // there: whatever the limit was then, and if it is older than this object.
  AllocationPtr Allocate(size_t size) override {
    AllocationPtr allocation;
    try {
      allocation = AllocateOnce(size);
    } catch (...) {
      if (caching->GiveBack() == 0) throw;
      allocation = AllocateOnce(size);
    }
    FillAsFlagsSay(*allocation);
    return allocation;
  }

  void Free(phi::Allocation* allocation) override {
    AllocationDeleter(allocation);
  }

 protected:
  phi::Allocation* AllocateImpl(size_t) override { return nullptr; }
  uint64_t ReleaseImpl(const phi::Place& place) override {
    return caching->Release(place);
  }

 private:
  AllocationPtr AllocateOnce(size_t size) {
    if (size < kLarge) return own_->Allocate(size);
    caching->ObeyLimit();
    return IdleLimit() == 0 ? own_->Allocate(size) : caching->Allocate(size);
  }

  std::shared_ptr<allocation::Allocator> own_;
};

// The layout of paddle::memory::allocation::StatAllocator, which counts what
// the allocator behind it hands out. It holds in the releases of
// scripts/wheel/steps.py; its header needs those of glog, which the
// wheel does not ship.
class StatAllocatorLayout : public allocation::Allocator {
 public:
  std::shared_ptr<allocation::Allocator> behind;
};

constexpr char kStatAllocatorType[] =
    "N6paddle6memory10allocation13StatAllocatorE";

// What kernels keep besides their outputs comes from `new`: where that fails,
// idle memory goes back to the system, and `new` tries again.
std::new_handler other_handler = nullptr;

void GiveBackForNew() {
  if (caching->TryGiveBack() > 0) return;
  if (other_handler == nullptr) throw std::bad_alloc();
  other_handler();
}

}  // namespace

size_t IdleLimit() {
  static const size_t default_limit =
      std::min(MachineBytes() / 8, size_t{4} << 30);
  const int64_t mib = FLAGS_cpu_idle_memory_limit_in_mb;
  return mib < 0 ? default_limit : static_cast<size_t>(mib) << 20;
}

void InstallCachingAllocator() {
  // Paddle's own, which its device contexts point to.
  allocation::Allocator* found = allocation::AllocatorFacade::Instance()
                                     .GetAllocator(phi::CPUPlace())
                                     .get();
  if (std::strcmp(typeid(*found).name(), kStatAllocatorType) != 0) return;
  auto* counting = static_cast<StatAllocatorLayout*>(found);
  caching = new CachingAllocator(std::make_shared<ChunkAllocator>());
  // A child has only the thread that forked.
  pthread_atfork([] { caching->mutex().lock(); },
                 [] { caching->mutex().unlock(); },
                 [] { caching->mutex().unlock(); });
  other_handler = std::set_new_handler(GiveBackForNew);
  counting->behind = std::make_shared<CpuAllocator>(counting->behind);
}

size_t EmptyCache() { return caching == nullptr ? 0 : caching->GiveBack(); }

std::optional<std::map<std::string, size_t>> MemoryUsage() {
  if (caching == nullptr) return std::nullopt;
  return caching->usage();
}

}  // namespace native_ops
