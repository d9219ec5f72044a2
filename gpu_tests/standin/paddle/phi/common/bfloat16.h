#pragma once

#ifdef __NVCC__
#include <cuda_bf16.h>
#endif

#include "paddle/phi/common/half_number.h"

namespace phi {
namespace dtype {

#ifdef __NVCC__
using bfloat16 = HalfNumber<__nv_bfloat16>;
#else
// The upper half of a float.
struct UpperHalf {
  uint16_t bits;

  UpperHalf() = default;
  HOSTDEVICE explicit UpperHalf(float value) {
    uint32_t all;
    memcpy(&all, &value, sizeof(all));
    const uint32_t rounded = (all + 0x7fff + (all >> 16 & 1)) >> 16;
    bits = value != value ? 0x7fff : static_cast<uint16_t>(rounded);
  }

  HOSTDEVICE explicit operator float() const {
    const uint32_t all = static_cast<uint32_t>(bits) << 16;
    float value;
    memcpy(&value, &all, sizeof(value));
    return value;
  }
};
using bfloat16 = HalfNumber<UpperHalf>;
#endif

}  // namespace dtype
}  // namespace phi
