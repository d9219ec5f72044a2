// Paddle's caching allocator in front of the one that its CPU Tensors have.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace native_ops {

// Serves the CPU's Tensors from now on, wherever Paddle allocates one. An
// allocator of another kind than Paddle's default stays as it is.
void InstallCachingAllocator();

// Gives idle memory back to the system; how many bytes.
size_t EmptyCache();

// 'limit', 'reserved', 'in_use' and 'idle' in bytes; nothing where nothing was
// installed.
std::optional<std::map<std::string, size_t>> MemoryUsage();

}  // namespace native_ops
