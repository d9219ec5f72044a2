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

// masked_scatter and its gradients on the CPU, on raw pointers. Instantiated
// by element size.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_avx2.h"

namespace phi::funcs::scatter_ops {

// out[i] = mask[i] ? the next value : x[i]; returns the number of Trues. Values
// past `value_left` are not read: x stands in for them, and a return above it
// tells that values were missing. out may be x.
template <typename Word>
int64_t ScatterEach(Word* out,
                    const Word* x,
                    const uint8_t* mask,
                    const Word* value,
                    int64_t value_left,
                    int64_t n) {
  int64_t i = 0;
  int64_t k = 0;
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Word) <= 8) {
    if (HasAvx2()) {
      ScatterGroups(out, x, mask, value, value_left, n, &i, &k);
    }
  }
#endif
  for (; i < n; ++i) {
    const bool take = IsTrue(mask, i);
    // A pointer is chosen, which is no branch.
    const Word* from = take && k < value_left ? value + k : x + i;
    out[i] = *from;
    k += take;
  }
  return k;
}

// The inverse: the elements under True, in order, to out, which has room for
// `capacity`; returns how many.
template <typename Word>
int64_t GatherBlock(Word* out,
                    int64_t capacity,
                    const Word* in,
                    const uint8_t* mask,
                    int64_t n) {
  int64_t i = 0;
  int64_t k = 0;
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Word) <= 8) {
    if (HasAvx2()) GatherGroups(out, capacity, in, mask, n, &i, &k);
  }
#endif
  for (; i < n && k < capacity; ++i) {
    out[k] = in[i];
    k += IsTrue(mask, i);
  }
  return k;
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

inline int64_t CountTrueIn(const MaskView& mask, int64_t begin, int64_t end) {
  int64_t count = 0;
  mask.view.ForEachRun(
      begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
        if (stride == 0) {
          count += IsTrue(mask.data, offset) ? n : 0;
        } else {
          count += CountTrue(mask.data + offset, n);
        }
      });
  return count;
}

// Calls f(i, k, room) for each tile i, where k Trues come before it and the
// tile may use up to `room` values from the k-th on; f returns the number of
// Trues in its tile. Returns the number of all Trues.
//
// With several threads, or with count_first, the Trues are counted before; if
// there are more than `limit`, f is not called at all. Else the one thread
// counts as it goes, and f must respect `room` on its own.
template <typename F>
int64_t ForEachMaskTile(const MaskView& mask,
                        const Tiles& tiles,
                        int64_t limit,
                        bool count_first,
                        const F& f) {
  if (ThreadsFor(tiles.bytes) == 1) {
    const int64_t all = count_first ? CountTrueIn(mask, 0, tiles.numel) : 0;
    if (all > limit) return all;
    int64_t k = 0;
    for (int64_t i = 0; i < tiles.count; ++i) {
      k += f(i, k, std::max<int64_t>(0, limit - k));
    }
    return k;
  }
  std::vector<int64_t> start(tiles.count + 1, 0);
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    start[i + 1] = CountTrueIn(mask, tiles.begin(i), tiles.end(i));
  });
  for (int64_t i = 0; i < tiles.count; ++i) start[i + 1] += start[i];
  const int64_t total = start[tiles.count];
  if (total > limit) return total;
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    f(i, start[i], start[i + 1] - start[i]);
  });
  return total;
}

// out[i] = mask ? the next value : x, for all of the output. Returns the
// number of Trues; if that is above value_numel the output is incomplete, and
// untouched with count_first.
template <typename Word>
int64_t MaskedScatterCpu(Word* out,
                         int64_t numel,
                         const WordView<Word>& x,
                         const MaskView& mask,
                         const Word* value,
                         int64_t value_numel,
                         bool count_first) {
  const Tiles tiles(numel, sizeof(Word));
  const bool streams = UseNonTemporalStores(tiles.bytes, out == x.data);
  const auto tile = [&](int64_t i, int64_t first, int64_t) {
    int64_t k = first;
    const auto take = [&](Word* to, int64_t n, bool streams) {
      if (k + n <= value_numel) {
        StreamCopy(to, value + k, n * sizeof(Word), streams);
      }
      k += n;
    };
    if (WriteRuns(out, x, mask, tiles, i, take)) return k - first;
    uint8_t mask_scratch[kBlock];
    Word x_scratch[kBlock];
    const auto block = [&](Word* to, int64_t b, int64_t n) {
      k += ScatterEach(to,
                       x.view.Read(x.data, b, n, x_scratch),
                       mask.view.Read(mask.data, b, n, mask_scratch),
                       value + k,
                       value_numel - k,
                       n);
    };
    ForEachBlock(out, tiles.begin(i), tiles.end(i), kBlock, streams, block);
    return k - first;
  };
  return ForEachMaskTile(mask, tiles, value_numel, count_first, tile);
}

// value_grad = out_grad under True in order, then zeros. x_grad = mask ? 0 :
// out_grad, for an x of the output's shape (or null); it may be out_grad
// itself. Returns the number of True elements; the gradients are incomplete if
// that is above value_numel.
template <typename Word>
int64_t MaskedScatterGradCpu(const Word* out_grad,
                             int64_t numel,
                             const MaskView& mask,
                             Word* x_grad,
                             Word* value_grad,
                             int64_t value_numel) {
  const Tiles tiles(numel, sizeof(Word));
  const bool streams =
      x_grad && UseNonTemporalStores(tiles.bytes, x_grad == out_grad);
  const auto tile = [&](int64_t i, int64_t first, int64_t room) {
    static constexpr Word kZeros[kNearBlock<Word>] = {};
    uint8_t mask_scratch[kNearBlock<Word>];
    int64_t k = first;
    int64_t selected = 0;
    const int64_t last = std::min(k + room, value_numel);
    // In blocks, so that the second use of out_grad finds it in the cache.
    const auto block = [&](Word* to, int64_t b, int64_t n) {
      const Word* grad = out_grad + b;
      const uint8_t* m = mask.view.Read(mask.data, b, n, mask_scratch);
      const int64_t taken = GatherBlock(value_grad + k, last - k, grad, m, n);
      k += taken;
      selected += k < last ? taken : CountTrue(m, n);
      if (to != nullptr) {
        CallVectorised([&] { SelectEach(to, grad, m, kZeros, n); });
      }
    };
    constexpr int64_t kMost = kNearBlock<Word>;
    const int64_t end = tiles.end(i);
    if (x_grad) {
      ForEachBlock(x_grad, tiles.begin(i), end, kMost, streams, block);
    } else {
      for (int64_t b = tiles.begin(i); b < end; b += kMost) {
        block(nullptr, b, std::min(kMost, end - b));
      }
    }
    return selected;
  };
  const int64_t total =
      ForEachMaskTile(mask, tiles, value_numel, /*count_first=*/false, tile);
  if (total < value_numel) {
    ParallelZero(value_grad + total, (value_numel - total) * sizeof(Word));
  }
  return total;
}

}  // namespace phi::funcs::scatter_ops
