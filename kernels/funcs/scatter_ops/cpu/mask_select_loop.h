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

// The loop over a contiguous block that takes one of two operands by a mask,
// in the two forms of mask_loops.h.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_loops.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename Word>
inline void SelectEach(Word* out,
                       const Word* x,
                       const uint8_t* mask,
                       const Word* value,
                       int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const Word* from = IsTrue(mask, i) ? value + i : x + i;
    out[i] = *from;
  }
}

#ifdef SCATTER_OPS_AVX2

template <Stores kStores, typename Word>
SCATTER_OPS_STEP void SelectStep(Word* out,
                                 const Word* x,
                                 const Word* value,
                                 uint32_t bits) {
  using L = Lanes8<sizeof(Word)>;
  L::template Store<kStores>(out, L::Select(bits, L::Load(value), L::Load(x)));
}

template <Stores kStores>
SCATTER_OPS_STEP void SelectStep(Bytes16* out,
                                 const Bytes16* x,
                                 const Bytes16* value,
                                 uint32_t bits) {
  for (int i = 0; i < 8; ++i) {
    const Bytes16* from = bits >> i & 1 ? value + i : x + i;
    StoreVector<kStores>(
        out + i, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
}

template <Stores kStores, typename Word>
SCATTER_OPS_TARGET void SelectAvx2(Word* out,
                                   const Word* x,
                                   const uint8_t* mask,
                                   const Word* value,
                                   int64_t n) {
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits == 0) {
      MoveBlock<kStores>(out + i, x + i);
    } else if (bits == ~uint32_t{0}) {
      MoveBlock<kStores>(out + i, value + i);
    } else {
      for (int j = 0; j < 32; j += 8) {
        SelectStep<kStores>(
            out + i + j, x + i + j, value + i + j, bits >> j & 0xff);
      }
    }
  }
  SelectEach(out + i, x + i, mask + i, value + i, n - i);
}

#endif  // SCATTER_OPS_AVX2

// out[i] = mask[i] ? value[i] : x[i]. out may be x or value.
template <typename Word>
void SelectBlock(const TileStores& stores,
                 Word* out,
                 const Word* x,
                 const uint8_t* mask,
                 const Word* value,
                 int64_t n) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) {
    return stores.Visit(
        out, [&](auto kind) { SelectAvx2<kind()>(out, x, mask, value, n); });
  }
#endif
  SelectEach(out, x, mask, value, n);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
