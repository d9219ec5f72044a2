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
// element size. One pass over the mask knows, for each element, how many Trues
// come before it: a scan with decoupled look-back over tiles (Merrill and
// Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).
// CUB's own scan can't be fused with what is done to the elements. A tile's
// values are neighbours, and go through shared memory, so that they are moved
// side by side.

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/cub.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Adds the Trues of a mask to *count.
struct CountTrues {
  const uint8_t* mask;
  int64_t numel;
  int64_t threads;
  int64_t* count;

  __device__ void operator()(int64_t thread) const {
    int64_t found = 0;
    for (int64_t i = thread; i < numel; i += threads) found += mask[i] != 0;
    if (found > 0) CudaAtomicAdd(count, found);
  }
};

// How many Trues a mask has. The host waits for the device.
inline int64_t CountTruesGpu(const GPUContext& dev_ctx,
                             const DenseTensor& mask) {
  constexpr int64_t kMostThreads = 1 << 16;
  const auto* bytes = static_cast<const uint8_t*>(mask.data());
  const int64_t threads = std::min(mask.numel(), kMostThreads);
  DenseTensor memory;
  int64_t* count = AllocScratch<int64_t>(dev_ctx, 1, &memory);
  ClearBytes(dev_ctx, count, sizeof(int64_t));
  ForEach(dev_ctx, threads, CountTrues{bytes, mask.numel(), threads, count});
  int64_t found = 0;
  backends::gpu::GpuMemcpyAsync(
      &found, count, sizeof(int64_t), gpuMemcpyDeviceToHost, dev_ctx.stream());
  dev_ctx.Wait();
  return found;
}

// A thread handles this many packs of a tile.
constexpr int kScanRounds = 4;

// A tile's word: nothing yet, the Trues of the tile, or the Trues up to its
// end. Flag and count share a word, so that a reader sees both or neither.
enum ScanFlag : uint64_t { kScanEmpty = 0, kScanTile = 1, kScanPrefix = 2 };

__device__ inline void PublishScan(uint64_t* word,
                                   int64_t count,
                                   ScanFlag flag) {
  *reinterpret_cast<volatile uint64_t*>(word) =
      static_cast<uint64_t>(count) << 2 | flag;
}

__device__ inline uint64_t ReadScan(const uint64_t* word) {
  return *reinterpret_cast<const volatile uint64_t*>(word);
}

__device__ inline int64_t ScanCount(uint64_t word) {
  return static_cast<int64_t>(word >> 2);
}

// By the first warp of a block: the number of Trues before `tile`, which has
// `count`.
__device__ inline int64_t LookBack(uint64_t* words,
                                   int64_t tile,
                                   int64_t count) {
  const int lane = threadIdx.x;
  if (lane == 0) {
    PublishScan(words + tile, count, tile == 0 ? kScanPrefix : kScanTile);
  }
  int64_t before = 0;
  // Lane 0 looks at the nearest tile. Before tile 0 lies a prefix of zero.
  for (int64_t first = tile - 1; first >= 0; first -= kWarpSize) {
    const int64_t other = first - lane;
    uint64_t word = kScanPrefix;
    if (other >= 0) {
      do {
        word = ReadScan(words + other);
      } while ((word & 3) == kScanEmpty);
    }
    const int nearest =
        CombineWarp((word & 3) == kScanPrefix ? lane : kWarpSize,
                    [](int a, int b) { return a < b ? a : b; });
    before += CombineWarp(lane <= nearest ? ScanCount(word) : int64_t{0},
                          [](int64_t a, int64_t b) { return a + b; });
    if (nearest < kWarpSize) break;
  }
  if (lane == 0 && tile > 0) {
    PublishScan(words + tile, before + count, kScanPrefix);
  }
  return before;
}

// Hands out the tiles in the order in which blocks start, so that a block
// never waits for one that has not been scheduled.
__device__ inline int64_t NextTile(uint64_t* ticket) {
  __shared__ int64_t tile;
  if (threadIdx.x == 0) {
    tile = static_cast<int64_t>(
        atomicAdd(reinterpret_cast<unsigned long long*>(ticket), 1ull));
  }
  __syncthreads();
  return tile;
}

// What a thread knows of its tile after the scan.
struct ScanTile {
  int64_t before;           // Trues before the tile
  int count;                // Trues of the tile
  int inside[kScanRounds];  // before the thread's pack of each round, of these
};

// `counts` are the Trues of the thread's packs, a field of 16 bits a round: a
// round of a block has at most 256 * 16 Trues, so that one scan does four.
__device__ inline ScanTile ScanBlock(uint64_t* words,
                                     int64_t tile,
                                     uint64_t counts) {
  using Scan = cub::BlockScan<uint64_t, kGpuThreads>;
  __shared__ typename Scan::TempStorage storage;
  __shared__ int64_t tile_before;
  uint64_t before, total;
  Scan(storage).ExclusiveSum(counts, before, total);
  ScanTile result;
  result.count = 0;
#pragma unroll
  for (int r = 0; r < kScanRounds; ++r) {
    result.inside[r] = result.count + (before >> (16 * r) & 0xffff);
    result.count += total >> (16 * r) & 0xffff;
  }
  if (threadIdx.x < kWarpSize) {
    const int64_t found = LookBack(words, tile, result.count);
    if (threadIdx.x == 0) tile_before = found;
  }
  __syncthreads();
  result.before = tile_before;
  return result;
}

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
