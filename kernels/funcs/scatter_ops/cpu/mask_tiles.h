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

// Walks a mask in tiles and tells each tile how many Trues come before it: the
// frame of everything that pairs the k-th True with the k-th value.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// One operand of a masked kernel, read along the output.
template <typename Word>
struct WordView {
  const Word* data;
  BroadcastView view;
};

// Calls f(begin, end) for blocks that `scratch` arrays of kBlock can hold, or
// once where nothing has to be expanded.
template <typename F>
void ForEachBlock(int64_t begin, int64_t end, bool flat, const F& f) {
  const int64_t step = flat ? end - begin : kBlock;
  for (; begin < end; begin += step) f(begin, std::min(end, begin + step));
}

// The elements of a bool Tensor.
inline const uint8_t* MaskBytes(const DenseTensor& mask) {
  return reinterpret_cast<const uint8_t*>(mask.data<bool>());
}

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

// Calls f(begin, end, k, room) for each tile, where k Trues come before it and
// the tile may use up to `room` values from the k-th on; f returns the number
// of Trues in its tile. Returns the number of all Trues.
//
// With several threads, or with count_first, the Trues are counted before; if
// there are more than `limit`, f is not called at all. Else the one thread
// counts as it goes, and f must respect `room` on its own.
template <typename F>
int64_t ForEachMaskTile(const MaskView& mask,
                        const Tiles& tiles,
                        int64_t bytes,
                        int64_t limit,
                        bool count_first,
                        const F& f) {
  if (!count_first && (NumThreads() == 1 || bytes < kParallelBytes)) {
    int64_t k = 0;
    for (int64_t i = 0; i < tiles.count; ++i) {
      k += f(tiles.begin(i), tiles.end(i), k, std::max<int64_t>(0, limit - k));
    }
    return k;
  }
  std::vector<int64_t> start(tiles.count + 1, 0);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    start[i + 1] = mask.CountTrueIn(tiles.begin(i), tiles.end(i));
  });
  for (int64_t i = 0; i < tiles.count; ++i) start[i + 1] += start[i];
  const int64_t total = start[tiles.count];
  if (total > limit) return total;
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    f(tiles.begin(i), tiles.end(i), start[i], start[i + 1] - start[i]);
  });
  return total;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
