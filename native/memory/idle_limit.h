// How much memory of freed Tensors a process keeps for the next ones.

#pragma once

#include <cstddef>

namespace native_ops {

// What FLAGS_cpu_idle_memory_limit_in_mb says now, in bytes. 0: nothing is
// kept.
size_t IdleLimit();

}  // namespace native_ops
