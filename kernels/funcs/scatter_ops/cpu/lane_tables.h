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

// Which of eight lanes a permute takes, by eight bits: for AVX2, which cannot
// compress or expand a vector by a mask.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"

#ifdef SCATTER_OPS_AVX2
// A step of a loop that is compiled for AVX2.
#define SCATTER_OPS_STEP \
  __attribute__((target("avx2,popcnt"), always_inline)) static inline
#endif

namespace phi::funcs::scatter_ops {

// expand[bits][i]: which of the next values lane i takes. compress[bits][k]:
// which lane the k-th set bit is.
struct LaneTables {
  uint8_t expand[256][8];
  uint8_t compress[256][8];

  constexpr LaneTables() : expand(), compress() {
    for (int bits = 0; bits < 256; ++bits) {
      int k = 0;
      for (int i = 0; i < 8; ++i) {
        expand[bits][i] = static_cast<uint8_t>(k);
        if (bits >> i & 1) compress[bits][k++] = static_cast<uint8_t>(i);
      }
    }
  }
};
inline constexpr LaneTables kLaneTables{};

#ifdef SCATTER_OPS_AVX2
SCATTER_OPS_STEP __m128i LaneBytes(const uint8_t* table) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(table));
}
#endif

}  // namespace phi::funcs::scatter_ops
