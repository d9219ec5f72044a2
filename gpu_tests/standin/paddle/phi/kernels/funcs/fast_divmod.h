#pragma once

#include <cstdint>

#include "paddle/common/hostdevice.h"

namespace phi::funcs {

template <typename T>
struct FastDivMod;

// Division by a number that the host knows, for dividends below 2^63.
//
// With 2^shift the first power of two that is not below the divisor, it is a
// multiplication by 2^(64 + shift) / divisor, of which the factor has all but
// the topmost bit.
template <>
struct FastDivMod<int64_t> {
  FastDivMod() = default;
  explicit FastDivMod(uint64_t by) : shift(0), divisor(by) {
    while (shift < 63 && (uint64_t{1} << shift) < by) ++shift;
    using Wide = unsigned __int128;
    const Wide top = (Wide{1} << 64) * ((Wide{1} << shift) - by);
    factor = static_cast<uint64_t>(top / by + 1);
  }

  __device__ uint64_t Div(uint64_t n) const {
    return (__umul64hi(n, factor) + n) >> shift;
  }

  int shift;
  uint64_t divisor;
  uint64_t factor;
};

}  // namespace phi::funcs
