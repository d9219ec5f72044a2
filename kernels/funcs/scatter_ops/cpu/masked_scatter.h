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
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_tiles.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// ScatterBlock for a mask that is constant over long runs: each run is moved as
// a whole. x lies like the output. Returns the number of Trues.
template <typename Word>
int64_t ScatterRuns(const TileStores& stores,
                    Word* out,
                    const Word* x,
                    const MaskView& mask,
                    const Word* value,
                    int64_t value_left,
                    int64_t begin,
                    int64_t end) {
  int64_t k = 0;
  mask.view.ForEachRun(begin, end, [&](int64_t offset, int64_t, int64_t n) {
    const bool take = IsTrue(mask.data, offset);
    if (take && k + n <= value_left) {
      stores.Copy(out + begin, value + k, n * sizeof(Word));
    } else if (!take && out != x) {
      stores.Copy(out + begin, x + begin, n * sizeof(Word));
    }
    k += take ? n : 0;
    begin += n;
  });
  return k;
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
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(Word));
  const bool flat = x.view.is_flat() && mask.view.is_flat();
  const bool by_runs = x.view.is_flat() && mask.view.has_long_constant_runs();
  const Tiles tiles(numel, sizeof(Word));
  const Stores kind = StoresInto(out, x.data, bytes);
  const auto tile = [&](int64_t begin, int64_t end, int64_t k, int64_t) {
    const TileStores stores(kind);
    if (by_runs) {
      return ScatterRuns(
          stores, out, x.data, mask, value + k, value_numel - k, begin, end);
    }
    uint8_t mask_scratch[kBlock];
    Word x_scratch[kBlock];
    const int64_t first = k;
    ForEachBlock(begin, end, flat, [&](int64_t b, int64_t e) {
      k += ScatterBlock(stores,
                        out + b,
                        x.view.Read(x.data, b, e - b, x_scratch),
                        mask.view.Read(mask.data, b, e - b, mask_scratch),
                        value + k,
                        value_numel - k,
                        e - b);
    });
    return k - first;
  };
  return ForEachMaskTile(mask, tiles, bytes, value_numel, count_first, tile);
}

// x_grad = mask ? 0 : out_grad, for an x of the output's shape (or null); it
// may be out_grad itself. value_grad = out_grad under True in order, then zeros
// (or null).
template <typename Word>
void MaskedScatterGradCpu(const Word* out_grad,
                          int64_t numel,
                          const MaskView& mask,
                          Word* x_grad,
                          Word* value_grad,
                          int64_t value_numel) {
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(Word));
  const Tiles tiles(numel, sizeof(Word));
  const Stores kind = StoresInto(x_grad, out_grad, bytes);
  const auto tile = [&](int64_t begin, int64_t end, int64_t k, int64_t room) {
    uint8_t mask_scratch[kBlock];
    const int64_t first = k;
    const int64_t last = std::min(k + room, value_numel);
    const TileStores stores(kind);
    // In blocks, so that the second use of out_grad finds it in the cache.
    ForEachBlock(begin, end, /*flat=*/false, [&](int64_t b, int64_t e) {
      const uint8_t* m = mask.view.Read(mask.data, b, e - b, mask_scratch);
      if (value_grad != nullptr) {
        k += GatherBlock(value_grad + k, last - k, out_grad + b, m, e - b);
      }
      if (x_grad != nullptr) {
        FillBlock(stores, x_grad + b, out_grad + b, m, Word{}, e - b);
      }
    });
    return k - first;
  };
  if (value_grad == nullptr) {
    ParallelFor(tiles.count, bytes, [&](int64_t i) {
      tile(tiles.begin(i), tiles.end(i), 0, 0);
    });
    return;
  }
  const int64_t total =
      ForEachMaskTile(mask, tiles, bytes, value_numel, false, tile);
  if (total < value_numel) {
    ParallelZero(value_grad + total, (value_numel - total) * sizeof(Word));
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
