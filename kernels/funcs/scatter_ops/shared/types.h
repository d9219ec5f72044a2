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
// they are registered for, words to move elements in, and what is added up in.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/common/float16.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/half.h"

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

// What few terms and products are made in, fast; integers wrap around as T
// does. Half types are rounded once, at the end.
template <typename T>
struct ShortSumOf {
  using type = std::conditional_t<kIsHalf<T>, float, T>;
};

// For sums over many elements: a double keeps what is small beside a large
// float.
template <typename T>
struct LongSumOf : ShortSumOf<T> {};
// The number of Trues.
template <>
struct LongSumOf<bool> {
  using type = int64_t;
};
template <>
struct LongSumOf<float> {
  using type = double;
};
template <>
struct LongSumOf<dtype::complex<float>> {
  using type = dtype::complex<double>;
};

// A LongSumOf<T> as a T.
template <typename T, typename Sum>
HOSTDEVICE inline T FromSum(Sum sum) {
  if constexpr (std::is_same<T, bool>::value) {
    return sum != 0;
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
