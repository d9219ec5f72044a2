// Types of the masked and scatter operators, for all devices: the dtypes of
// their kernels, storage types, accumulation types, and conversions to the
// latter.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/common/float16.h"

#define SCATTER_OPS_ALL_DTYPES                                         \
  bool, uint8_t, int8_t, int16_t, int, int64_t, phi::dtype::float16,   \
      phi::dtype::bfloat16, float, double, phi::dtype::complex<float>, \
      phi::dtype::complex<double>

namespace phi::funcs::scatter_ops {

struct Bytes16 {
  uint64_t low;
  uint64_t high;
};

// An integer type of the size of T: kernels that only move elements are
// instantiated once per element size.
template <typename T>
using StorageType = std::conditional_t<
    sizeof(T) == 1,
    uint8_t,
    std::conditional_t<
        sizeof(T) == 2,
        uint16_t,
        std::conditional_t<
            sizeof(T) == 4,
            uint32_t,
            std::conditional_t<sizeof(T) == 8, uint64_t, Bytes16>>>>;

template <typename T>
constexpr bool kIsHalf = std::is_same<T, dtype::float16>::value ||
                         std::is_same<T, dtype::bfloat16>::value;

// Accumulation type of reductions by an index. Half types are rounded once,
// when the reduction is complete.
template <typename T>
using AccType = std::conditional_t<kIsHalf<T>, float, T>;

// Accumulation type of sums over broadcast axes, which may have many more
// terms: float accumulates in double. Integers wrap around; they are unsigned,
// since signed overflow is undefined behavior.
template <typename T>
struct BroadcastAccTypeOf {
  using type =
      std::conditional_t<std::is_integral<T>::value,
                         std::conditional_t<sizeof(T) <= 4, uint32_t, uint64_t>,
                         AccType<T>>;
};
template <>
struct BroadcastAccTypeOf<bool> {
  using type = int64_t;  // the number of True elements
};
template <>
struct BroadcastAccTypeOf<float> {
  using type = double;
};
template <>
struct BroadcastAccTypeOf<dtype::complex<float>> {
  using type = dtype::complex<double>;
};

// Conversions of half types to float: integer arithmetic without branches, so
// that loops over them vectorize on a CPU.

template <typename To, typename From>
inline To BitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "The sizes must be equal.");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// bfloat16 is the upper half of a float.
inline float ToFloat(dtype::bfloat16 element) {
  return BitCast<float>(static_cast<uint32_t>(element.x) << 16);
}

// A branchless select that compilers vectorize.
inline uint32_t SelectBits(bool first, uint32_t one, uint32_t other) {
  const uint32_t mask = -static_cast<uint32_t>(first);
  return (one & mask) | (other & ~mask);
}

// float16 has 10 bits of mantissa and an exponent bias 112 less than that of
// float. Subnormals are normalized by a subtraction, which is computed for all
// elements and then discarded for the others, since compilers do not vectorize
// conditional floating point arithmetic.
constexpr uint32_t kHalfExponent = 112 << 23;

inline float ToFloat(dtype::float16 element) {
  constexpr uint32_t kSmallestNormal = 113 << 23;
  const uint32_t magnitude = element.x & 0x7fff;
  const uint32_t sign = static_cast<uint32_t>(element.x ^ magnitude) << 16;
  const uint32_t infinite = magnitude >= 0x7c00 ? kHalfExponent : 0;  // or NaN
  const uint32_t normal = (magnitude << 13) + kHalfExponent + infinite;
  const float subnormal = BitCast<float>((magnitude << 13) + kSmallestNormal) -
                          BitCast<float>(kSmallestNormal);
  return BitCast<float>(
      sign |
      SelectBits(magnitude < 0x400, BitCast<uint32_t>(subnormal), normal));
}

template <typename Sum, typename T>
inline Sum WidenTo(T element) {
  if constexpr (kIsHalf<T>) return static_cast<Sum>(ToFloat(element));
  return static_cast<Sum>(element);
}

}  // namespace phi::funcs::scatter_ops
