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

// masked_scatter under a mask that repeats each of its elements over a long run
// of the output: each run is moved as a whole.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"

namespace phi::funcs::scatter_ops {

// Runs are long enough to be moved as blocks, and x lies like the output.
template <typename Word>
bool IsMadeOfRuns(const WordView<Word>& x, const MaskView& mask) {
  const int last = mask.view.rank() - 1;
  return x.view.is_flat() && mask.view.stride(last) == 0 &&
         mask.view.dim(last) >= 256;
}

// Tile i of such an output: each True takes the next value. Values past
// `value_left` are not read. Returns the number of Trues.
template <typename Word>
int64_t ScatterRuns(Word* out,
                    const Word* x,
                    const MaskView& mask,
                    const Word* value,
                    int64_t value_left,
                    const Tiles& tiles,
                    int64_t i) {
  const TileStores stores(StoresInto(out, x, tiles.bytes));
  int64_t at = tiles.begin(i);
  int64_t k = 0;
  mask.view.ForEachRun(
      at, tiles.end(i), [&](int64_t offset, int64_t, int64_t n) {
        const bool take = IsTrue(mask.data, offset);
        if (take && k + n <= value_left) {
          stores.Copy(out + at, value + k, n * sizeof(Word));
        } else if (!take && out != x) {
          stores.Copy(out + at, x + at, n * sizeof(Word));
        }
        k += take ? n : 0;
        at += n;
      });
  return k;
}

}  // namespace phi::funcs::scatter_ops
