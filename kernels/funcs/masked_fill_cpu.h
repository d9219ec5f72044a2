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

// out = mask ? fill : x on the CPU, on raw pointers. Instantiated by element
// size.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/mask_tiles.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// out may be x.data.
template <typename Word>
void MaskedFillCpu(Word* out,
                   int64_t numel,
                   const WordView<Word>& x,
                   const MaskView& mask,
                   Word fill) {
  const bool flat = x.view.is_flat() && mask.view.is_flat();
  const Tiles tiles(numel, sizeof(Word));
  ParallelFor(tiles.count, numel * sizeof(Word), [&](int64_t i) {
    if (out != x.data) PopulatePages(out, tiles.begin(i), tiles.end(i));
    uint8_t mask_scratch[kBlock];
    Word x_scratch[kBlock];
    ForEachBlock(tiles.begin(i), tiles.end(i), flat, [&](int64_t b, int64_t e) {
      FillBlock(out + b,
                x.view.Read(x.data, b, e - b, x_scratch),
                mask.view.Read(mask.data, b, e - b, mask_scratch),
                fill,
                e - b);
    });
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
