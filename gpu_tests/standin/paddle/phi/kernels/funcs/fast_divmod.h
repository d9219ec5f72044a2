#pragma once

#include <cstdint>

#include "paddle/common/hostdevice.h"

namespace phi::funcs {

// Division by a number that the host knows; Paddle's multiplies and shifts.
template <typename T>
struct FastDivMod {
  FastDivMod() = default;
  explicit FastDivMod(uint64_t by) : divisor(by) {}

  HOSTDEVICE uint64_t Div(uint64_t n) const { return n / divisor; }

  uint64_t divisor;
};

}  // namespace phi::funcs
