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

// Elements as sums, and sums as elements.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "paddle/phi/common/bfloat16.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// The element in the type of the sum. bfloat16's own conversion writes half of
// a float and reads all of it, which no vector instruction does.
template <typename Sum, typename T>
inline Sum WidenedTo(T element) {
  if constexpr (std::is_same<T, dtype::bfloat16>::value) {
    const uint32_t bits = static_cast<uint32_t>(element.x) << 16;
    float wide;
    std::memcpy(&wide, &bits, sizeof(wide));
    return static_cast<Sum>(wide);
  } else {
    return static_cast<Sum>(element);
  }
}

// To T, as its own conversion does it; for bfloat16 without a branch, so that a
// loop becomes vector instructions.
template <typename T, typename Sum>
inline T RoundedTo(Sum sum) {
  if constexpr (std::is_same<T, dtype::bfloat16>::value &&
                std::is_same<Sum, float>::value) {
    uint32_t bits;
    std::memcpy(&bits, &sum, sizeof(bits));
    const uint32_t even = bits + 0x7fff + (bits >> 16 & 1);
    T rounded;
    rounded.x = static_cast<uint16_t>(sum != sum ? 0x7fff : even >> 16);
    return rounded;
  } else {
    return static_cast<T>(sum);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
