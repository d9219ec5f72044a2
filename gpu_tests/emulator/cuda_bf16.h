#pragma once

#include <cstdint>
#include <cstring>

struct __nv_bfloat16_raw {
  uint16_t x;
};

struct __nv_bfloat16 {
  uint16_t x;
  explicit __nv_bfloat16(__nv_bfloat16_raw raw) : x(raw.x) {}
  explicit operator __nv_bfloat16_raw() const { return {x}; }
};

inline __nv_bfloat16 __float2bfloat16_rn(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  __nv_bfloat16_raw raw;
  if (value != value) {
    raw.x = 0x7fff;
  } else {
    raw.x = static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
  return __nv_bfloat16(raw);
}

inline float __bfloat162float(__nv_bfloat16 value) {
  const uint32_t bits = static_cast<uint32_t>(value.x) << 16;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}
