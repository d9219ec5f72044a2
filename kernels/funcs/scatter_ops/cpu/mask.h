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

// Masks on the CPU: how they are read along an output, count and choice under
// one, for contiguous blocks that fit into the L1 cache. The loops are plain
// and have no branch on the mask, so that a compiler makes vectors of them.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// A mask made elsewhere may hold bytes other than 0 and 1. To read them as bool
// is undefined, so that masks are bytes everywhere.
inline bool IsTrue(const uint8_t* mask, int64_t i) { return mask[i] != 0; }

// The elements of a bool Tensor.
inline const uint8_t* MaskBytes(const DenseTensor& mask) {
  return reinterpret_cast<const uint8_t*>(mask.data<bool>());
}

inline int64_t CountTrue(const uint8_t* mask, int64_t n) {
  int64_t count = 0;
  CallVectorised([&] {
    // So few that a byte holds their number.
    constexpr int64_t kFew = 128;
    for (int64_t i = 0; i < n; i += kFew) {
      const int64_t end = std::min(n, i + kFew);
      uint8_t few = 0;
      for (int64_t j = i; j < end; ++j) few += IsTrue(mask, j);
      count += few;
    }
  });
  return count;
}

template <typename Word>
inline Word Choose(bool first, Word one, Word other) {
  return first ? one : other;
}

inline Bytes16 Choose(bool first, const Bytes16& one, const Bytes16& other) {
  const uint64_t all = -static_cast<uint64_t>(first);
  return {(one.low & all) | (other.low & ~all),
          (one.high & all) | (other.high & ~all)};
}

template <typename Word>
inline void SelectEach(Word* out,
                       const Word* x,
                       const uint8_t* mask,
                       const Word* value,
                       int64_t n) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC ivdep  // no element leans on an earlier one, also where out is x
#endif
  for (int64_t i = 0; i < n; ++i) {
    // Both are read: of reads that may be left out a compiler makes no vectors.
    const Word taken = value[i];
    const Word kept = x[i];
    out[i] = Choose(IsTrue(mask, i), taken, kept);
  }
}

// What SelectBlock takes at a time: three operands fit into the L1 cache.
template <typename Word>
constexpr int64_t kNearBlock = std::max<int64_t>(512, 4096 / sizeof(Word));

// out[i] = mask[i] ? value[i] : x[i]. out may be x or value.
template <typename Word>
void SelectBlock(const TileStores& stores,
                 Word* out,
                 const Word* x,
                 const uint8_t* mask,
                 const Word* value,
                 int64_t n) {
  if (SelectPastCaches(stores, out, x, mask, value, n)) return;
  StoreBlocks(stores, out, 0, n, n, [&](Word* to, int64_t b, int64_t m) {
    CallVectorised([&] { SelectEach(to, x + b, mask + b, value + b, m); });
  });
}

// One operand of a masked kernel, read along the output.
template <typename Word>
struct WordView {
  const Word* data;
  BroadcastView view;
};

struct MaskView {
  const uint8_t* data;
  BroadcastView view;

  int64_t CountTrueIn(int64_t begin, int64_t end) const {
    int64_t count = 0;
    view.ForEachRun(begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
      if (stride == 0) {
        count += IsTrue(data, offset) ? n : 0;
      } else {
        count += CountTrue(data + offset, n);
      }
    });
    return count;
  }
};

}  // namespace phi::funcs::scatter_ops
