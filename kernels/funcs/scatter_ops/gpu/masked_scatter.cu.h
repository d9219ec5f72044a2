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
// element size. A tile's values are neighbours, and go through shared memory,
// so that they are moved side by side.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/core/enforce.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/mask_scan.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/masked_scatter_checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Forward: out = in with the elements under a True replaced by values.
// Gradient: values = the elements of in under a True, out = in with zeros
// there.
template <typename Word, bool kGrad>
struct MaskedScatterArgs {
  using Value = std::conditional_t<kGrad, Word, const Word>;

  int64_t numel;
  GpuOperand<uint8_t> mask;
  GpuOperand<Word> in;
  Word* out;  // may be in.data; null in a gradient: not wanted
  Value* values;
  int64_t value_numel;
};

template <int N>
constexpr int64_t ScanTileSize() {
  return static_cast<int64_t>(kGpuThreads) * kScanRounds * N;
}

// Of the last tile, packs may have fewer elements than lanes.
template <typename Word, int N, bool kFlat, bool kLast>
__device__ inline Pack<Word, N> ReadTilePack(const GpuOperand<Word>& operand,
                                             int64_t i,
                                             int64_t numel) {
  if (!kLast || i + N <= numel) return ReadPack<Word, N, kFlat>(operand, i);
  Pack<Word, N> pack;
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (i + j < numel) pack.Set(j, operand.data[operand.view.Offset(i + j)]);
  }
  return pack;
}

template <typename Word, int N, bool kLast>
__device__ inline void WriteTilePack(const Pack<Word, N>& pack,
                                     int64_t i,
                                     int64_t numel,
                                     Word* out) {
  if (!kLast || i + N <= numel) {
    pack.Store(out + i);
    return;
  }
#pragma unroll
  for (int j = 0; j < N; ++j) {
    if (i + j < numel) out[i + j] = pack[j];
  }
}

// A tile a block, the whole ones first and then, in a launch of its own, the
// last: so there are no bounds in the way of the others' loads. words[tiles] is
// the ticket. In place, packs without a True are neither read nor written.
template <typename Word, int N, bool kFlat, bool kGrad, bool kLast>
__global__ void __launch_bounds__(kGpuThreads,
                                  kFlat && !kLast && sizeof(Word) > 1 ? 4 : 2)
    MaskedScatterGpuKernel(MaskedScatterArgs<Word, kGrad> args,
                           uint64_t* words,
                           int64_t tiles) {
  constexpr int kStep = kGpuThreads * N;
  __shared__ Word compact[ScanTileSize<N>()];
  const int64_t tile = NextTile(words + tiles);
  const int64_t begin = tile * ScanTileSize<N>() + threadIdx.x * N;
  const bool in_place = args.in.data == args.out;
  Pack<Word, N> packs[kScanRounds];
  unsigned bits[kScanRounds];
  uint64_t counts = 0;
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    const int64_t i = begin + r * kStep;
    const auto mask =
        ReadTilePack<uint8_t, N, kFlat, kLast>(args.mask, i, args.numel);
    if (!in_place) {
      packs[r] = ReadTilePack<Word, N, kFlat, kLast>(args.in, i, args.numel);
    }
    bits[r] = BitsOf(mask);
    counts |= static_cast<uint64_t>(__popc(bits[r])) << (16 * r);
  }
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    if (!in_place || bits[r] == 0) continue;
    packs[r] = ReadTilePack<Word, N, kFlat, kLast>(
        args.in, begin + r * kStep, args.numel);
  }
  const ScanTile scan = ScanBlock(words, tile, counts);
  // What lies behind the end of a value that is too short is not read.
  const int64_t left = args.value_numel - scan.before;
  const int count =
      static_cast<int>(left < scan.count ? (left < 0 ? 0 : left) : scan.count);
  if constexpr (kLast && !kGrad) {
    if (threadIdx.x == 0) {
      PADDLE_ENFORCE(left >= scan.count,
                     SCATTER_OPS_SHORT_VALUE,
                     static_cast<long long>(scan.before + scan.count),
                     static_cast<long long>(args.value_numel));
    }
  }
  if constexpr (!kGrad) {
    for (int k = threadIdx.x; k < count; k += kGpuThreads) {
      compact[k] = args.values[scan.before + k];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    int k = scan.inside[r];
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if ((bits[r] >> j & 1u) == 0) continue;
      if constexpr (kGrad) {
        compact[k] = packs[r][j];
        packs[r].Set(j, Word{});
      } else {
        packs[r].Set(j, compact[k]);
      }
      ++k;
    }
  }
  if constexpr (kGrad) {
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += kGpuThreads) {
      args.values[scan.before + k] = compact[k];
    }
    if (args.out == nullptr) return;
  }
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    if (in_place && bits[r] == 0) continue;
    WriteTilePack<Word, N, kLast>(
        packs[r], begin + r * kStep, args.numel, args.out);
  }
}

// Values that no True took have no gradient. How many were taken is known
// only on the device: the last tile's word holds it.
template <typename Word>
struct ZeroUnusedValues {
  Word* values;
  const uint64_t* last_word;

  __device__ void operator()(int64_t i) const {
    if (i >= ScanCount(*last_word)) values[i] = Word{};
  }
};

template <typename Word, int N, bool kFlat, bool kGrad>
void LaunchMaskedScatter(const GPUContext& dev_ctx,
                         const MaskedScatterArgs<Word, kGrad>& args) {
  const int64_t tiles =
      (args.numel + ScanTileSize<N>() - 1) / ScanTileSize<N>();
  DenseTensor memory;
  uint64_t* words = AllocScratch<uint64_t>(dev_ctx, tiles + 1, &memory);
  ClearBytes(dev_ctx, words, (tiles + 1) * sizeof(uint64_t));
  if (tiles > 1) {
    MaskedScatterGpuKernel<Word, N, kFlat, kGrad, /*kLast=*/false>
        <<<static_cast<unsigned>(tiles - 1),
           kGpuThreads,
           0,
           dev_ctx.stream()>>>(args, words, tiles);
  }
  MaskedScatterGpuKernel<Word, N, false, kGrad, /*kLast=*/true>
      <<<1, kGpuThreads, 0, dev_ctx.stream()>>>(args, words, tiles);
  if constexpr (kGrad) {
    ForEach(dev_ctx,
            args.value_numel,
            ZeroUnusedValues<Word>{args.values, words + tiles - 1});
  }
}

// There must be an element.
template <typename Word, bool kGrad>
void MaskedScatterGpu(const GPUContext& dev_ctx,
                      const MaskedScatterArgs<Word, kGrad>& args) {
  constexpr int N = PackSize<Word>();
  if (!IsAligned(args.out, 16)) {
    LaunchMaskedScatter<Word, 1, false>(dev_ctx, args);
  } else if (CanReadFlat<N>(args.mask) && CanReadFlat<N>(args.in)) {
    LaunchMaskedScatter<Word, N, true>(dev_ctx, args);
  } else {
    LaunchMaskedScatter<Word, N, false>(dev_ctx, args);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
