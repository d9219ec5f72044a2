// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// Types of the masked and scatter operators, on every device: the dtypes that
// they are registered for, words to move elements in, what is added up in, and
// conversions from and to that.

#pragma once

#include <algorithm>
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

// The word that carries an element of T: kernels that only move elements are
// made once for each size.
template <typename T>
using WordOf = std::conditional_t<
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

// Accumulation type of reductions by an index. Half types are rounded once, at
// the end.
template <typename T>
using AccType = std::conditional_t<kIsHalf<T>, float, T>;

// Accumulation type of sums over broadcast axes, which may have many more
// terms: a double keeps small terms beside a large float. Integers wrap around,
// so they are unsigned: signed overflow is undefined, and GCC miscompiles it.
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

// Elements of 16 bits as floats, and floats as the nearest such elements, ties
// to even: by steps on integers without a branch, so that a loop over them
// becomes vector instructions on a CPU.

template <typename To, typename From>
inline To SameBits(From from) {
  static_assert(sizeof(To) == sizeof(From), "Bits must be as many.");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// bfloat16 is the upper half of a float.
inline float FloatOf(dtype::bfloat16 element) {
  return SameBits<float>(static_cast<uint32_t>(element.x) << 16);
}

// Branchless select, which compilers vectorize.
inline uint32_t Either(bool first, uint32_t one, uint32_t other) {
  const uint32_t mask = -static_cast<uint32_t>(first);
  return (one & mask) | (other & ~mask);
}

// float16 has 10 bits of mantissa, and its exponent bias is smaller by 112 than
// that of a float. Subnormals are normalized by a subtraction. It is computed
// for all elements and dropped for the others: it would quiet a signaling NaN,
// and compilers do not vectorize conditional floating point arithmetic.
constexpr uint32_t kHalfExponent = 112 << 23;

inline float FloatOf(dtype::float16 element) {
  constexpr uint32_t kSmallestNormal = 113 << 23;
  const uint32_t size = element.x & 0x7fff;
  const uint32_t sign = static_cast<uint32_t>(element.x ^ size) << 16;
  const uint32_t infinite = size >= 0x7c00 ? kHalfExponent : 0;  // or NaN
  const uint32_t normal = (size << 13) + kHalfExponent + infinite;
  const float subnormal = SameBits<float>((size << 13) + kSmallestNormal) -
                          SameBits<float>(kSmallestNormal);
  return SameBits<float>(
      sign | Either(size < 0x400, SameBits<uint32_t>(subnormal), normal));
}

inline dtype::bfloat16 NearestBfloat16(float value) {
  const uint32_t bits = SameBits<uint32_t>(value);
  const uint32_t even = bits + 0x7fff + (bits >> 16 & 1);
  dtype::bfloat16 nearest;
  nearest.x = static_cast<uint16_t>(value != value ? 0x7fff : even >> 16);
  return nearest;
}

inline dtype::float16 NearestFloat16(float value) {
  constexpr uint32_t kSmallestNormal = 113 << 23;
  constexpr uint32_t kTooLarge = 143 << 23;  // becomes infinity
  constexpr uint32_t kInfinity = 255u << 23;
  // The last bit of numbers from 0.5 to 1 is worth as much as a subnormal's.
  constexpr uint32_t kHalf = 126 << 23;
  const uint32_t bits = SameBits<uint32_t>(value);
  const uint32_t size = bits & 0x7fffffff;
  const uint32_t sign = (bits ^ size) >> 16;
  // As phi::float16: the upper bits of the payload, or 1 if they are zero.
  constexpr uint32_t kSmallestNan = kInfinity + (1 << 13);
  const uint32_t payload = std::max(size, kSmallestNan) >> 13 & 0x3ff;
  const uint32_t nan = Either(size > kInfinity, payload, 0);
  const uint32_t most = Either(size < kTooLarge, size, kTooLarge);
  const bool subnormal = most < kSmallestNormal;
  const uint32_t shift = Either(subnormal, kHalf, 0);
  const uint32_t moved =
      SameBits<uint32_t>(SameBits<float>(most) + SameBits<float>(shift));
  const uint32_t even = moved + 0xfff + (moved >> 13 & 1);
  const uint32_t normal = (even - kHalfExponent) >> 13;
  dtype::float16 nearest;
  nearest.x = static_cast<uint16_t>(sign | nan |
                                    Either(subnormal, moved - kHalf, normal));
  return nearest;
}

template <typename T, typename Sum>
inline T RoundedTo(Sum sum) {
  if constexpr (!std::is_same<Sum, float>::value) {
    return static_cast<T>(sum);
  } else if constexpr (std::is_same<T, dtype::bfloat16>::value) {
    return NearestBfloat16(sum);
  } else if constexpr (std::is_same<T, dtype::float16>::value) {
    return NearestFloat16(sum);
  } else {
    return static_cast<T>(sum);
  }
}

// An element as what it is added up in.
template <typename Sum, typename T>
inline Sum WidenedTo(T element) {
  if constexpr (kIsHalf<T>) return static_cast<Sum>(FloatOf(element));
  return static_cast<Sum>(element);
}

}  // namespace phi::funcs::scatter_ops
