// What float16 and bfloat16 have in common: two bytes that stand for a float.

#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "paddle/common/hostdevice.h"

namespace phi {
namespace dtype {

// Codec has Encode (float to bits, rounded to the nearest, ties to even),
// Decode, and the bits of what numeric_limits tells.
template <typename Codec>
struct alignas(2) HalfNumber {
  uint16_t x;

  HalfNumber() = default;
  HOSTDEVICE explicit HalfNumber(float value) : x(Codec::Encode(value)) {}
  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  HOSTDEVICE explicit HalfNumber(T value)
      : HalfNumber(static_cast<float>(value)) {}

  HOSTDEVICE explicit operator float() const { return Codec::Decode(x); }
  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  HOSTDEVICE explicit operator T() const {
    return static_cast<T>(Codec::Decode(x));
  }

  HOSTDEVICE static HalfNumber FromBits(uint16_t bits) {
    HalfNumber number;
    number.x = bits;
    return number;
  }
};

#define STANDIN_HALF_OPERATOR(result, op)                          \
  template <typename Codec>                                        \
  HOSTDEVICE inline result operator op(HalfNumber<Codec> a,        \
                                       HalfNumber<Codec> b) {      \
    return result(static_cast<float>(a) op static_cast<float>(b)); \
  }
STANDIN_HALF_OPERATOR(HalfNumber<Codec>, +)
STANDIN_HALF_OPERATOR(HalfNumber<Codec>, -)
STANDIN_HALF_OPERATOR(HalfNumber<Codec>, *)
STANDIN_HALF_OPERATOR(HalfNumber<Codec>, /)
STANDIN_HALF_OPERATOR(bool, ==)
STANDIN_HALF_OPERATOR(bool, !=)
STANDIN_HALF_OPERATOR(bool, <)
STANDIN_HALF_OPERATOR(bool, >)
STANDIN_HALF_OPERATOR(bool, <=)
STANDIN_HALF_OPERATOR(bool, >=)
#undef STANDIN_HALF_OPERATOR

}  // namespace dtype
}  // namespace phi

namespace std {

template <typename Codec>
class numeric_limits<phi::dtype::HalfNumber<Codec>> {
  using Number = phi::dtype::HalfNumber<Codec>;

 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;

  HOSTDEVICE static Number max() { return Number::FromBits(Codec::kMax); }
  HOSTDEVICE static Number lowest() {
    return Number::FromBits(Codec::kMax | 0x8000);
  }
  HOSTDEVICE static Number infinity() {
    return Number::FromBits(Codec::kInfinity);
  }
  HOSTDEVICE static Number quiet_NaN() {
    return Number::FromBits(Codec::kQuietNan);
  }
};

}  // namespace std
