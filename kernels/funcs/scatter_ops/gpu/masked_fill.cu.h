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
// size; serves masked_fill with a value of any shape that broadcasts, and the
// gradients that zero what was masked.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/packs.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename Word>
struct MaskedFillArgs {
  int64_t numel;
  GpuOperand<uint8_t> mask;
  GpuOperand<Word> x;      // without data: zeros
  GpuOperand<Word> value;  // without data: zero
  Word* out;               // may be x.data if x has the output's shape
};

template <int N>
__device__ inline bool AnyTrue(const WordPack<uint8_t, N>& mask) {
  uint32_t any = 0;
#pragma unroll
  for (int w = 0; w < WordPack<uint8_t, N>::kWords; ++w) any |= mask.word[w];
  return any != 0;
}

// The lanes of `on` where the mask is True, else those of `off`: on 32 bits at
// a time, so that small elements cost no more than large ones.
template <typename Word, int N>
__device__ inline WordPack<Word, N> Blend(const WordPack<Word, N>& off,
                                          const WordPack<Word, N>& on,
                                          const WordPack<uint8_t, N>& mask) {
  constexpr int kSize = sizeof(Word);
  WordPack<Word, N> pack;
#pragma unroll
  for (int w = 0; w < WordPack<Word, N>::kWords; ++w) {
    // Each byte of the word takes the mask byte of the lane it belongs to.
    unsigned selector = 0;
#pragma unroll
    for (int b = 0; b < 4; ++b) {
      selector |= static_cast<unsigned>((4 * w + b) / kSize % 4) << (4 * b);
    }
    const uint32_t trues = __vcmpne4(mask.word[w / kSize], 0);
    const uint32_t take = __byte_perm(trues, 0, selector);
    pack.word[w] = (off.word[w] & ~take) | (on.word[w] & take);
  }
  return pack;
}

// Packs that a thread handles at once: half as many if two operands are read
// along views, whose offsets take the registers.
template <bool kFlat, bool kMany>
__host__ __device__ constexpr int FillRounds() {
  return kMany && !kFlat ? kTileRounds / 2 : kTileRounds;
}

// One element, for those that fill no pack.
template <typename Word, bool kMany>
__device__ inline void FillElement(const MaskedFillArgs<Word>& args,
                                   Word fill,
                                   int64_t i) {
  const bool take = IsTrueAt(args.mask.data, args.mask.view.Offset(i));
  if (take && kMany) fill = args.value.data[args.value.view.Offset(i)];
  Word kept{};
  if (!take && args.x.data != nullptr) {
    kept = args.x.data[args.x.view.Offset(i)];
  }
  args.out[i] = take ? fill : kept;
}

// kMany: the value differs from element to element. Else it is one element,
// read on the device if it is a Tensor's, so that the host need not wait.
template <typename Word, int N, bool kFlat, bool kMany>
__global__ void __launch_bounds__(kGpuThreads)
    FillTilesGpuKernel(MaskedFillArgs<Word> args) {
  constexpr int kRounds = FillRounds<kFlat, kMany>();
  const int64_t packed = PackedElements<N>(args.numel);
  const bool in_place = args.x.data == args.out;
  const bool reads_x = !in_place && args.x.data != nullptr;
  Word fill{};
  if (!kMany && args.value.data != nullptr) fill = *args.value.data;
  if (blockIdx.x == 0 && packed + threadIdx.x < args.numel) {
    FillElement<Word, kMany>(args, fill, packed + threadIdx.x);
  }
  for (int64_t begin = TileBegin<N, kRounds>(); begin < packed;
       begin += TileStep<N, kRounds>()) {
    WordPack<Word, N> packs[kRounds];
    WordPack<Word, N> values[kRounds];
    WordPack<uint8_t, N> masks[kRounds];
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      const int64_t i = RoundBegin<N>(begin, r);
      values[r] = Splat<Word, N>(fill);
      if (i >= packed) continue;
      masks[r] = ReadOperand<uint8_t, N, kFlat>(args.mask, i);
      if (reads_x) packs[r] = ReadOperand<Word, N, kFlat>(args.x, i);
    }
    if (kMany || in_place) {
      // Without a True in a pack, x stays as it is and no value is needed:
      // these loads wait for the mask to skip such packs.
#pragma unroll
      for (int r = 0; r < kRounds; ++r) {
        const int64_t i = RoundBegin<N>(begin, r);
        if (!AnyTrue(masks[r])) continue;
        if (in_place) packs[r] = ReadOperand<Word, N, kFlat>(args.x, i);
        if (kMany) values[r] = ReadOperand<Word, N, kFlat>(args.value, i);
      }
    }
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      const int64_t i = RoundBegin<N>(begin, r);
      if (i >= packed || (in_place && !AnyTrue(masks[r]))) continue;
      StoreAligned<Word, N>(args.out + i, Blend(packs[r], values[r], masks[r]));
    }
  }
}

template <typename Word, int N, bool kFlat, bool kMany>
void LaunchMaskedFill(const MaskedFillArgs<Word>& args,
                      int multiprocessors,
                      GpuStream stream) {
  constexpr int64_t kTile = TileSize<N, FillRounds<kFlat, kMany>()>();
  const unsigned grid = TileGrid(args.numel, kTile, multiprocessors);
  FillTilesGpuKernel<Word, N, kFlat, kMany>
      <<<grid, kGpuThreads, 0, stream>>>(args);
}

template <typename Word, bool kMany>
void DispatchMaskedFill(const MaskedFillArgs<Word>& args,
                        int multiprocessors,
                        GpuStream stream) {
  constexpr int N = PackSize<Word>();
  const bool flat = CanReadFlat<uint8_t, N>(args.mask) &&
                    CanReadFlat<Word, N>(args.x) &&
                    (!kMany || CanReadFlat<Word, N>(args.value));
  if (!IsAligned(args.out, 16)) {
    LaunchMaskedFill<Word, 1, false, kMany>(args, multiprocessors, stream);
  } else if (flat) {
    LaunchMaskedFill<Word, N, true, kMany>(args, multiprocessors, stream);
  } else {
    LaunchMaskedFill<Word, N, false, kMany>(args, multiprocessors, stream);
  }
}

// One value for all.
template <typename Word>
void MaskedFillOneGpu(const MaskedFillArgs<Word>& args,
                      int multiprocessors,
                      GpuStream stream) {
  DispatchMaskedFill<Word, /*kMany=*/false>(args, multiprocessors, stream);
}

// A value Tensor that broadcasts to the output, of `value_numel` elements.
template <typename Word>
void MaskedFillGpu(const MaskedFillArgs<Word>& args,
                   int64_t value_numel,
                   int multiprocessors,
                   GpuStream stream) {
  if (value_numel == 1) {
    MaskedFillOneGpu<Word>(args, multiprocessors, stream);
  } else {
    DispatchMaskedFill<Word, /*kMany=*/true>(args, multiprocessors, stream);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
