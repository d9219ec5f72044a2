#pragma once

#include <cuda_fp16.h>

#include "paddle/phi/common/half_number.h"

namespace phi {
namespace dtype {

struct Float16Codec {
  static constexpr uint16_t kMax = 0x7bff;
  static constexpr uint16_t kInfinity = 0x7c00;
  static constexpr uint16_t kQuietNan = 0x7e00;

  HOSTDEVICE static uint16_t Encode(float value) {
    return static_cast<__half_raw>(__float2half_rn(value)).x;
  }
  HOSTDEVICE static float Decode(uint16_t bits) {
    __half_raw raw;
    raw.x = bits;
    return __half2float(__half(raw));
  }
};

using float16 = HalfNumber<Float16Codec>;

}  // namespace dtype
}  // namespace phi
