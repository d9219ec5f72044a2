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

// out = mask ? value : x on the GPU, on raw pointers. Instantiated by element
// size; serves masked_fill with a scalar, with a value of any shape that
// broadcasts, and the gradients that zero what was masked.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/mask_scan.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename Word>
struct MaskedFillArgs {
  int64_t numel;
  const uint8_t* mask;
  GpuView mask_view;
  const Word* x;
  GpuView x_view;
  const Word* value;  // null: `fill` is the value
  GpuView value_view;
  Word fill;
  Word* out;  // may be x, of the output's shape
};

// One value for all: a scalar, or a Tensor of one element, which is read on
// the device so that the host need not wait for it.
template <typename Word, int N, bool kFlat>
__global__ void __launch_bounds__(kGpuThreads)
    FillOneGpuKernel(MaskedFillArgs<Word> args) {
  const Word fill = args.value != nullptr ? *args.value : args.fill;
  const bool in_place = args.x == args.out;
  const int64_t packs = (args.numel + N - 1) / N;
  for (int64_t p = GlobalThread(); p < packs; p += GridThreads()) {
    const int64_t i = p * N;
    const unsigned bits =
        MaskBits<N, kFlat>(args.mask, args.mask_view, i, args.numel);
    if (in_place && bits == 0) continue;
    Pack<Word, N> pack =
        ReadElements<Word, N, kFlat>(args.x, args.x_view, i, args.numel);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (bits >> j & 1u) pack.lane[j] = fill;
    }
    WriteElements<Word, N>(args.out, i, args.numel, pack);
  }
}

template <typename Word>
__global__ void __launch_bounds__(kGpuThreads)
    FillManyGpuKernel(MaskedFillArgs<Word> args) {
  for (int64_t i = GlobalThread(); i < args.numel; i += GridThreads()) {
    const bool take = IsTrueAt(args.mask, args.mask_view.Offset(i));
    args.out[i] = take ? args.value[args.value_view.Offset(i)]
                       : args.x[args.x_view.Offset(i)];
  }
}

// `value_numel` is 1 for a scalar.
template <typename Word>
void MaskedFillGpu(const MaskedFillArgs<Word>& args,
                   int64_t value_numel,
                   int multiprocessors,
                   GpuStream stream) {
  constexpr int N = PackSize<Word>();
  const unsigned single = GridSize(args.numel, multiprocessors);
  if (value_numel != 1) {
    FillManyGpuKernel<Word><<<single, kGpuThreads, 0, stream>>>(args);
  } else if (!args.x_view.is_flat() || !args.mask_view.is_flat()) {
    FillOneGpuKernel<Word, 1, false><<<single, kGpuThreads, 0, stream>>>(args);
  } else if (!CanPack<Word>(args.mask, args.x, args.out)) {
    FillOneGpuKernel<Word, 1, true><<<single, kGpuThreads, 0, stream>>>(args);
  } else {
    const unsigned packed = GridSize((args.numel + N - 1) / N, multiprocessors);
    FillOneGpuKernel<Word, N, true><<<packed, kGpuThreads, 0, stream>>>(args);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
