#pragma once

#include <cuda_bf16.h>

#include "paddle/phi/common/half_number.h"

namespace phi {
namespace dtype {

struct Bfloat16Codec {
  static constexpr uint16_t kMax = 0x7f7f;
  static constexpr uint16_t kInfinity = 0x7f80;
  static constexpr uint16_t kQuietNan = 0x7fc0;

  HOSTDEVICE static uint16_t Encode(float value) {
    return static_cast<__nv_bfloat16_raw>(__float2bfloat16_rn(value)).x;
  }
  HOSTDEVICE static float Decode(uint16_t bits) {
    __nv_bfloat16_raw raw;
    raw.x = bits;
    return __bfloat162float(__nv_bfloat16(raw));
  }
};

using bfloat16 = HalfNumber<Bfloat16Codec>;

}  // namespace dtype
}  // namespace phi
