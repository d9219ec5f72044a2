#include "memory/idle_limit.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "paddle/common/flags.h"

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

size_t DefaultLimit() {
  constexpr size_t kMost = size_t{4} << 30;
  return std::min(MachineBytes() / 8, kMost);
}

}  // namespace

size_t IdleLimit() {
  static const size_t default_limit = DefaultLimit();
  const int64_t mib = FLAGS_cpu_idle_memory_limit_in_mb;
  return mib < 0 ? default_limit : static_cast<size_t>(mib) << 20;
}

}  // namespace native_ops
