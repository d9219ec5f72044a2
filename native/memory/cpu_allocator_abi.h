// What libphi_core has of Paddle's CPU allocator and its headers name only
// together with those of glog, which the wheel does not ship. It holds in the
// releases of scripts/wheel/versions.py.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "paddle/phi/core/memory/allocation/allocator.h"

namespace paddle {
namespace memory {

// Adds to what core.host_memory_stat_current_value(what, device) tells.
void HostMemoryStatUpdate(const std::string& what,
                          int device,
                          int64_t increment);

}  // namespace memory
}  // namespace paddle

namespace native_ops {

// The layout of paddle::memory::allocation::StatAllocator, which counts what
// the allocator behind it hands out.
class StatAllocatorLayout : public paddle::memory::allocation::Allocator {
 public:
  std::shared_ptr<paddle::memory::allocation::Allocator> behind;
};

constexpr char kStatAllocatorType[] =
    "N6paddle6memory10allocation13StatAllocatorE";

}  // namespace native_ops
