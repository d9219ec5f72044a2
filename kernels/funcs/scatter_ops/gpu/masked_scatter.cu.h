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

// masked_scatter and its gradient on the GPU, on raw pointers. Instantiated by
// element size.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/mask_scan.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/masked_scatter_checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// One launch's view of its operands. `words` is AllocScanWords; the last one
// is the ticket.
template <typename Word>
struct MaskedScatterArgs {
  int64_t numel;
  int64_t tiles;
  GpuOperand<uint8_t> mask;
  GpuOperand<Word> x;
  const Word* value;
  int64_t value_numel;
  Word* out;
  uint64_t* words;
};

template <typename Word, int N, bool kFlat>
__global__ void __launch_bounds__(kGpuThreads)
    MaskedScatterGpuKernel(MaskedScatterArgs<Word> args) {
  const int64_t tile = NextTile(args.words + args.tiles);
  const int64_t base = tile * ScanTileSize<N>() + threadIdx.x * N;
  Pack<Word, N> packs[kScanRounds];
  unsigned bits[kScanRounds];
  uint64_t counts = 0;
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    const int64_t i = base + static_cast<int64_t>(r) * kGpuThreads * N;
    bits[r] = MaskBits<N, kFlat>(args.mask, i, args.numel);
    packs[r] = ReadElements<Word, N, kFlat>(args.x, i, args.numel);
    counts |= static_cast<uint64_t>(__popc(bits[r])) << (16 * r);
  }
  const ScanTile scan = ScanBlock(args.words, tile, counts);
  if (tile == args.tiles - 1 && threadIdx.x == 0) {
    SCATTER_OPS_DEVICE_CHECK(scan.end <= args.value_numel,
                             "(OutOfRange) " SCATTER_OPS_SHORT_VALUE "\n",
                             static_cast<long long>(scan.end),
                             static_cast<long long>(args.value_numel));
  }
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    int64_t k = scan.before[r];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (bits[r] >> j & 1u) {
        if (k < args.value_numel) packs[r].lane[j] = args.value[k];
        ++k;
      }
    }
    const int64_t i = base + static_cast<int64_t>(r) * kGpuThreads * N;
    WriteElements<Word, N>(args.out, i, args.numel, packs[r]);
  }
}

template <typename Word>
struct MaskedScatterGradArgs {
  int64_t numel;
  int64_t tiles;
  GpuOperand<uint8_t> mask;
  GpuOperand<Word> out_grad;
  Word* x_grad;      // null, or of the output's shape
  Word* value_grad;  // not null
  int64_t value_numel;
  uint64_t* words;
};

template <typename Word, int N, bool kFlatMask>
__global__ void __launch_bounds__(kGpuThreads)
    MaskedScatterGradGpuKernel(MaskedScatterGradArgs<Word> args) {
  const int64_t tile = NextTile(args.words + args.tiles);
  const int64_t base = tile * ScanTileSize<N>() + threadIdx.x * N;
  Pack<Word, N> packs[kScanRounds];
  unsigned bits[kScanRounds];
  uint64_t counts = 0;
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    const int64_t i = base + static_cast<int64_t>(r) * kGpuThreads * N;
    bits[r] = MaskBits<N, kFlatMask>(args.mask, i, args.numel);
    packs[r] = ReadElements<Word, N, true>(args.out_grad, i, args.numel);
    counts |= static_cast<uint64_t>(__popc(bits[r])) << (16 * r);
  }
  const ScanTile scan = ScanBlock(args.words, tile, counts);
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    int64_t k = scan.before[r];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (bits[r] >> j & 1u) {
        if (k < args.value_numel) args.value_grad[k] = packs[r].lane[j];
        packs[r].lane[j] = Word{};
        ++k;
      }
    }
    const int64_t i = base + static_cast<int64_t>(r) * kGpuThreads * N;
    if (args.x_grad != nullptr) {
      WriteElements<Word, N>(args.x_grad, i, args.numel, packs[r]);
    }
  }
}

// Values that no True took have no gradient. How many were taken is known
// only on the device: the last tile's word holds it.
template <typename Word>
__global__ void ZeroUnusedValuesGpuKernel(Word* value_grad,
                                          int64_t value_numel,
                                          const uint64_t* last_word) {
  const int64_t used = ScanCount(*last_word);
  for (int64_t i = used + GlobalThread(); i < value_numel; i += GridThreads()) {
    value_grad[i] = Word{};
  }
}

template <typename Word, int N, bool kFlat>
void LaunchMaskedScatter(MaskedScatterArgs<Word> args, GpuStream stream) {
  args.tiles = ScanTiles<N>(args.numel);
  ClearScanWords(args.words, args.tiles, stream);
  MaskedScatterGpuKernel<Word, N, kFlat>
      <<<static_cast<unsigned>(args.tiles), kGpuThreads, 0, stream>>>(args);
}

template <typename Word>
void MaskedScatterGpu(const MaskedScatterArgs<Word>& args, GpuStream stream) {
  constexpr int N = PackSize<Word>();
  if (!args.x.view.is_flat() || !args.mask.view.is_flat()) {
    LaunchMaskedScatter<Word, 1, false>(args, stream);
  } else if (CanPack<Word>(args.mask.data, args.x.data, args.out)) {
    LaunchMaskedScatter<Word, N, true>(args, stream);
  } else {
    LaunchMaskedScatter<Word, 1, true>(args, stream);
  }
}

template <typename Word, int N, bool kFlatMask>
void LaunchMaskedScatterGrad(MaskedScatterGradArgs<Word> args,
                             int multiprocessors,
                             GpuStream stream) {
  args.tiles = ScanTiles<N>(args.numel);
  ClearScanWords(args.words, args.tiles, stream);
  MaskedScatterGradGpuKernel<Word, N, kFlatMask>
      <<<static_cast<unsigned>(args.tiles), kGpuThreads, 0, stream>>>(args);
  ZeroUnusedValuesGpuKernel<Word>
      <<<GridSize(args.value_numel, multiprocessors), kGpuThreads, 0, stream>>>(
          args.value_grad, args.value_numel, args.words + args.tiles - 1);
}

template <typename Word>
void MaskedScatterGradGpu(const MaskedScatterGradArgs<Word>& args,
                          int multiprocessors,
                          GpuStream stream) {
  constexpr int N = PackSize<Word>();
  const Word* out_grad = args.out_grad.data;
  const Word* x_grad = args.x_grad != nullptr ? args.x_grad : out_grad;
  if (!CanPack<Word>(args.mask.data, out_grad, x_grad)) {
    if (args.mask.view.is_flat()) {
      LaunchMaskedScatterGrad<Word, 1, true>(args, multiprocessors, stream);
    } else {
      LaunchMaskedScatterGrad<Word, 1, false>(args, multiprocessors, stream);
    }
  } else if (args.mask.view.is_flat()) {
    LaunchMaskedScatterGrad<Word, N, true>(args, multiprocessors, stream);
  } else {
    LaunchMaskedScatterGrad<Word, N, false>(args, multiprocessors, stream);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
