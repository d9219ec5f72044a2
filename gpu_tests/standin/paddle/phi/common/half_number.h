// What float16 and bfloat16 have in common: two bytes that stand for a float.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "paddle/common/hostdevice.h"

namespace phi {
namespace dtype {

// Native is the platform's own type. It is made of a float, rounded to the
// nearest, ties to even.
template <typename Native>
struct alignas(2) HalfNumber {
  uint16_t x;

  HalfNumber() = default;
  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  HOSTDEVICE explicit HalfNumber(T value) {
    const Native native = static_cast<Native>(static_cast<float>(value));
    memcpy(&x, &native, sizeof(x));
  }

  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  HOSTDEVICE explicit operator T() const {
    Native native;
    memcpy(&native, &x, sizeof(x));
    return static_cast<T>(static_cast<float>(native));
  }
};

#define STANDIN_HALF_OPERATOR(result, op)                          \
  template <typename Native>                                       \
  HOSTDEVICE inline result operator op(HalfNumber<Native> a,       \
                                       HalfNumber<Native> b) {     \
    return result(static_cast<float>(a) op static_cast<float>(b)); \
  }
STANDIN_HALF_OPERATOR(HalfNumber<Native>, +)
STANDIN_HALF_OPERATOR(HalfNumber<Native>, -)
STANDIN_HALF_OPERATOR(HalfNumber<Native>, *)
STANDIN_HALF_OPERATOR(HalfNumber<Native>, /)
STANDIN_HALF_OPERATOR(bool, ==)
STANDIN_HALF_OPERATOR(bool, !=)
STANDIN_HALF_OPERATOR(bool, <)
STANDIN_HALF_OPERATOR(bool, >)
#undef STANDIN_HALF_OPERATOR

}  // namespace dtype
}  // namespace phi
