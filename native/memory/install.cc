#include "memory/install.h"

#include <pthread.h>

#include <cstring>
#include <memory>
#include <new>
#include <typeinfo>

#include "memory/caching_allocator.h"
#include "memory/cpu_allocator.h"
#include "memory/cpu_allocator_abi.h"
#include "memory/idle_limit.h"
#include "paddle/phi/core/memory/allocation/allocator_facade.h"
#include "python/python_args.h"

namespace native_ops {
namespace {

namespace allocation = paddle::memory::allocation;

// Null until it is installed. Never destroyed: Tensors may be freed when the
// process ends.
std::shared_ptr<CachingAllocator>& Installed() {
  static auto& installed = *new std::shared_ptr<CachingAllocator>;
  return installed;
}

// A child has only the thread that forked.
void WatchForks() {
  pthread_atfork([] { Installed()->mutex().lock(); },
                 [] { Installed()->mutex().unlock(); },
                 [] { Installed()->mutex().unlock(); });
}

// What kernels keep besides their outputs comes from `new`: where that fails,
// idle memory goes back to the system, and `new` tries again.
std::new_handler other_handler = nullptr;

void GiveBackForNew() {
  if (Installed()->TryGiveBack() > 0) return;
  if (other_handler == nullptr) throw std::bad_alloc();
  other_handler();
}

// Paddle's own, which its device contexts point to; null if it is of another
// kind than by default.
StatAllocatorLayout* CountingAllocator() {
  allocation::Allocator* found = allocation::AllocatorFacade::Instance()
                                     .GetAllocator(phi::CPUPlace())
                                     .get();
  const bool fits = std::strcmp(typeid(*found).name(), kStatAllocatorType) == 0;
  return fits ? static_cast<StatAllocatorLayout*>(found) : nullptr;
}

}  // namespace

void InstallCachingAllocator() {
  StatAllocatorLayout* counting = CountingAllocator();
  if (counting == nullptr) return;
  auto& caching = Installed();
  caching =
      std::make_shared<CachingAllocator>(std::make_shared<ChunkAllocator>());
  WatchForks();
  other_handler = std::set_new_handler(GiveBackForNew);
  counting->behind = std::make_shared<CpuAllocator>(counting->behind, caching);
}

PyObject* EmptyCache(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    size_t freed = 0;
    if (Installed() != nullptr) {
      const py::gil_scoped_release release;
      freed = Installed()->GiveBack();
    }
    return PyLong_FromSize_t(freed);
  });
}

PyObject* MemoryUsage(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    if (Installed() == nullptr) Py_RETURN_NONE;
    const CachingAllocator::Usage usage = Installed()->usage();
    py::dict result;
    result["limit"] = IdleLimit();
    result["reserved"] = usage.reserved;
    result["in_use"] = usage.in_use;
    result["idle"] = usage.idle;
    return result.release().ptr();
  });
}

}  // namespace native_ops
