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

// The arithmetic of the operators that reduce slices by an index.

#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/common/float16.h"
#include "paddle/phi/kernels/funcs/index_reduce_checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename T>
struct IsComplexNumber : std::false_type {};
template <typename T>
struct IsComplexNumber<dtype::complex<T>> : std::true_type {};

template <typename T>
constexpr bool kIsHalf = std::is_same<T, dtype::float16>::value ||
                         std::is_same<T, dtype::bfloat16>::value;

template <typename T>
constexpr bool HasReduceFor(IndexReduce reduce) {
  return HasReduce(
      reduce, std::is_same<T, bool>::value, IsComplexNumber<T>::value);
}

// What a reduction is accumulated in: half types are rounded once, and the mean
// of small integers does not overflow.
template <typename T, IndexReduce kReduce>
struct ReduceType {
  using type =
      std::conditional_t<kIsHalf<T>,
                         float,
                         std::conditional_t<std::is_integral<T>::value &&
                                                kReduce == IndexReduce::kMean,
                                            int64_t,
                                            T>>;
};

// A sum of int64 that does not wrap around, for fewer than 2^32 of them: high
// times 2^32, plus low.
struct Int64Sum {
  int64_t high = 0;
  uint64_t low = 0;

  Int64Sum() = default;
  HOSTDEVICE explicit Int64Sum(int64_t value)
      : high(value >> 32), low(value & 0xffffffff) {}

  HOSTDEVICE Int64Sum operator+(const Int64Sum& other) const {
    Int64Sum sum;
    sum.high = high + other.high;
    sum.low = low + other.low;
    return sum;
  }
};

// What a mean is accumulated in where ReduceType could overflow, or lose what
// is small beside a long sum.
template <typename T>
struct WideSumOf {
  using type = std::conditional_t<
      std::is_same<T, int64_t>::value,
      Int64Sum,
      std::conditional_t<std::is_integral<T>::value, int64_t, double>>;
};
template <typename T>
struct WideSumOf<dtype::complex<T>> {
  using type = dtype::complex<double>;
};

// Whether `count` elements are accumulated in WideSumOf. A few numbers lose
// little in their own type, which is faster.
template <typename T, IndexReduce kReduce>
constexpr bool SumsWide(int64_t count) {
  constexpr int64_t kFew = 32;
  return kReduce == IndexReduce::kMean &&
         !std::is_same<typename WideSumOf<T>::type, T>::value &&
         (std::is_integral<T>::value || count > kFew);
}

// Integers wrap around.
template <typename T>
HOSTDEVICE inline T AddOf(T a, T b) {
  if constexpr (std::is_same<T, bool>::value) {
    return a | b;
  } else if constexpr (std::is_integral<T>::value) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <typename T>
HOSTDEVICE inline T MulOf(T a, T b) {
  if constexpr (std::is_integral<T>::value) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// A NaN of either wins. In two steps, since the first one is an instruction of
// its own that a branch on random data could not match.
template <typename T>
HOSTDEVICE inline T MaxOf(T a, T b) {
  const T most = b > a ? b : a;
  return b != b ? b : most;
}

template <typename T>
HOSTDEVICE inline T MinOf(T a, T b) {
  const T least = b < a ? b : a;
  return b != b ? b : least;
}

// Two elements reduced to one.
template <IndexReduce kReduce, typename T>
HOSTDEVICE inline T Combine(T a, T b) {
  if constexpr (kReduce == IndexReduce::kMul) {
    return MulOf(a, b);
  } else if constexpr (kReduce == IndexReduce::kAmax) {
    return MaxOf(a, b);
  } else if constexpr (kReduce == IndexReduce::kAmin) {
    return MinOf(a, b);
  } else {
    return AddOf(a, b);
  }
}

// sum / count; integers round towards minus infinity.
template <typename T>
HOSTDEVICE inline T DivideByCount(T sum, int64_t count) {
  if constexpr (IsComplexNumber<T>::value) {
    using Real = decltype(sum.real);
    return T(sum.real / static_cast<Real>(count),
             sum.imag / static_cast<Real>(count));
  } else if constexpr (std::is_integral<T>::value) {
    const int64_t wide = static_cast<int64_t>(sum);
    const int64_t quotient = wide / count;
    return static_cast<T>(quotient - (wide % count < 0 ? 1 : 0));
  } else {
    return sum / static_cast<T>(count);
  }
}

HOSTDEVICE inline int64_t DivideByCount(const Int64Sum& sum, int64_t count) {
  const int64_t high = sum.high + static_cast<int64_t>(sum.low >> 32);
  const int64_t quotient = DivideByCount(high, count);
  const uint64_t rest = static_cast<uint64_t>(high - quotient * count) << 32 |
                        (sum.low & 0xffffffff);
  return static_cast<int64_t>((static_cast<uint64_t>(quotient) << 32) +
                              rest / static_cast<uint64_t>(count));
}

template <typename T>
HOSTDEVICE inline T ConjugateOf(T value) {
  if constexpr (IsComplexNumber<T>::value) {
    return T(value.real, -value.imag);
  } else {
    return value;
  }
}

// Equal, or both NaN.
template <typename T>
HOSTDEVICE inline bool SameValue(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}

// Reductions that an operator has.
template <IndexReduce... kReduces>
struct ReduceSet {};
using PlainReduces = ReduceSet<IndexReduce::kAssign, IndexReduce::kSum>;
using LinearReduces =
    ReduceSet<IndexReduce::kAssign, IndexReduce::kSum, IndexReduce::kMean>;
using OtherReduces =
    ReduceSet<IndexReduce::kMul, IndexReduce::kAmax, IndexReduce::kAmin>;

// Calls f with the reduction, one of the set, as a constant.
template <typename T, IndexReduce... kReduces, typename F>
void VisitReduce(ReduceSet<kReduces...>, IndexReduce reduce, const F& f) {
  const auto visit = [&](auto constant) {
    if (decltype(constant)::value != reduce) return;
    if constexpr (HasReduceFor<T>(decltype(constant)::value)) {
      f(constant);
    } else {
      PADDLE_THROW(common::errors::Unimplemented(
          "This reduce has no kernel for the dtype of x."));
    }
  };
  (visit(std::integral_constant<IndexReduce, kReduces>{}), ...);
}

template <typename T, typename F>
void VisitReduce(IndexReduce reduce, const F& f) {
  VisitReduce<T>(LinearReduces{}, reduce, f);
  VisitReduce<T>(OtherReduces{}, reduce, f);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
