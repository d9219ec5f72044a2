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

// A Scalar attribute as an element of a tensor's dtype, or an error: a cast
// that wraps around or overflows must not pass in silence.

#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>

#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/common/float16.h"
#include "paddle/phi/common/scalar.h"
#include "paddle/phi/core/enforce.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// A Scalar is a whole number, which double would round, or has two parts.
struct ScalarParts {
  bool is_whole = false;
  int64_t whole = 0;
  double real = 0;
  double imag = 0;

  explicit ScalarParts(const Scalar& value) {
    switch (value.dtype()) {
      case DataType::FLOAT16:
      case DataType::BFLOAT16:
      case DataType::FLOAT32:
      case DataType::FLOAT64:
      case DataType::UINT64:
        real = value.to<double>();
        break;
      case DataType::COMPLEX64:
      case DataType::COMPLEX128: {
        const auto number = value.to<dtype::complex<double>>();
        real = number.real;
        imag = number.imag;
        break;
      }
      default:
        is_whole = true;
        whole = value.to<int64_t>();
        real = static_cast<double>(whole);
    }
  }

  std::string ToString() const {
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::digits10);
    if (is_whole) {
      text << whole;
    } else if (imag == 0) {
      text << real;
    } else {
      text << '(' << real << std::showpos << imag << "j)";
    }
    return text.str();
  }
};

template <typename T>
struct PartOf {
  using type = T;
  static constexpr bool is_complex = false;
};
template <typename T>
struct PartOf<dtype::complex<T>> {
  using type = T;
  static constexpr bool is_complex = true;
};

// Half types count on float to round; an overflow shows as an infinity.
template <typename T>
bool RealPartTo(double part, T* out) {
  *out = static_cast<T>(static_cast<float>(part));
  return !std::isfinite(part) || std::isfinite(static_cast<float>(*out));
}
inline bool RealPartTo(double part, double* out) {
  *out = part;
  return true;
}

template <typename T>
bool WholeTo(const ScalarParts& value, T* out) {
  if (value.is_whole) {
    *out = static_cast<T>(value.whole);
    return value.whole >= std::numeric_limits<T>::lowest() &&
           value.whole <= std::numeric_limits<T>::max();
  }
  // The largest int64 is no double, but one more than it is.
  const double low = static_cast<double>(std::numeric_limits<T>::lowest());
  const double end =
      2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
  const double truncated = std::trunc(value.real);
  if (!(truncated >= low && truncated < end) || value.imag != 0) return false;
  *out = static_cast<T>(truncated);
  return true;
}

// False if T has no such number.
template <typename T>
bool ScalarTo(const ScalarParts& value, T* out) {
  if constexpr (std::is_same<T, bool>::value) {
    *out = value.real != 0 || value.imag != 0;
    return true;
  } else if constexpr (PartOf<T>::is_complex) {
    return RealPartTo(value.real, &out->real) &&
           RealPartTo(value.imag, &out->imag);
  } else if constexpr (std::is_integral<T>::value) {
    return WholeTo(value, out);
  } else {
    return RealPartTo(value.real, out) && value.imag == 0;
  }
}

template <typename T>
std::string RangeText() {
  using Part = typename PartOf<T>::type;
  std::ostringstream text;
  const auto low = std::numeric_limits<Part>::lowest();
  const auto high = std::numeric_limits<Part>::max();
  if constexpr (std::is_integral<Part>::value) {
    text << "whole numbers in [" << +low << ", " << +high << "]";
  } else {
    text << "numbers in [" << static_cast<double>(low) << ", "
         << static_cast<double>(high) << "]";
  }
  return text.str();
}

template <typename T>
T ScalarInRange(const char* op, const char* name, const Scalar& value) {
  const ScalarParts parts(value);
  T out{};
  if (ScalarTo(parts, &out)) return out;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(%s) %s must be in the range of the dtype of x, %s, which holds %s, but "
      "it is %s.",
      op,
      name,
      DataTypeToString(CppTypeToDataType<T>::Type()),
      RangeText<T>(),
      parts.ToString()));
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
