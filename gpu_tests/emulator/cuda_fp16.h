#pragma once

#include <cstdint>
#include <cstring>

// The compiler's own type does the rounding.
struct __half_raw {
  uint16_t x;
};

struct __half {
  uint16_t x;
  explicit __half(__half_raw raw) : x(raw.x) {}
  explicit operator __half_raw() const { return {x}; }
};

inline __half __float2half_rn(float value) {
  const _Float16 half = static_cast<_Float16>(value);
  __half_raw raw;
  std::memcpy(&raw, &half, sizeof(raw));
  return __half(raw);
}

inline float __half2float(__half value) {
  _Float16 half;
  std::memcpy(&half, &value, sizeof(half));
  return static_cast<float>(half);
}
