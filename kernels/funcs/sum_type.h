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

// What the masked and scatter operators add up in, on every device.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/common/float16.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// What a sum of T is accumulated in.
template <typename T>
struct SumTypeOf {
  using type = T;
};
template <>
struct SumTypeOf<bool> {
  using type = int64_t;
};
template <>
struct SumTypeOf<dtype::float16> {
  using type = float;
};
template <>
struct SumTypeOf<dtype::bfloat16> {
  using type = float;
};
template <>
struct SumTypeOf<float> {
  using type = double;
};
template <>
struct SumTypeOf<dtype::complex<float>> {
  using type = dtype::complex<double>;
};

template <typename T, typename Sum>
HOSTDEVICE inline T FromSum(Sum sum) {
  if constexpr (std::is_same<T, bool>::value) {
    return sum != 0;
  } else {
    return static_cast<T>(sum);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
