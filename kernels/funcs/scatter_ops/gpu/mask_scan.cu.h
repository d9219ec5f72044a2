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

// One pass over a mask that knows, for each element, how many Trues come
// before it: a scan with decoupled look-back over tiles (Merrill and Garland,
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016).

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// A thread handles this many packs of a tile.
constexpr int kScanRounds = 4;

template <int N>
constexpr int64_t ScanTileSize() {
  return static_cast<int64_t>(kGpuThreads) * kScanRounds * N;
}

template <int N>
int64_t ScanTiles(int64_t numel) {
  return (numel + ScanTileSize<N>() - 1) / ScanTileSize<N>();
}

// One word a tile, and one for the ticket that hands out tiles in order.
inline int64_t ScanWords(int64_t tiles) { return tiles + 1; }

// Room for the words of any launch over `numel` elements.
template <typename Context, typename Tensor>
uint64_t* AllocScanWords(const Context& dev_ctx, int64_t numel, Tensor* words) {
  words->Resize(common::make_ddim({ScanWords(ScanTiles<1>(numel))}));
  return reinterpret_cast<uint64_t*>(dev_ctx.template Alloc<int64_t>(words));
}

// The words must start as zeros.
inline void ClearScanWords(uint64_t* words, int64_t tiles, GpuStream stream) {
  cudaMemsetAsync(words, 0, ScanWords(tiles) * sizeof(uint64_t), stream);
}

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

template <typename V>
__device__ inline V WarpSum(V value) {
  for (int step = kWarpSize / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(kFullWarp, value, step);
  }
  return value;
}

// By one whole warp: the number of Trues before `tile`, which has `count`.
__device__ inline int64_t LookBack(uint64_t* words,
                                   int64_t tile,
                                   int64_t count) {
  const int lane = threadIdx.x % kWarpSize;
  if (lane == 0) {
    PublishScan(words + tile, count, tile == 0 ? kScanPrefix : kScanTile);
  }
  int64_t before = 0;
  // Lane 0 looks at the nearest tile. Before tile 0 lies a prefix of zero.
  for (int64_t first = tile - 1; first >= 0; first -= kWarpSize) {
    const int64_t other = first - lane;
    uint64_t word;
    do {
      word = other >= 0 ? ReadScan(words + other) : kScanPrefix;
    } while (__any_sync(kFullWarp, (word & 3) == kScanEmpty));
    const unsigned prefixes =
        __ballot_sync(kFullWarp, (word & 3) == kScanPrefix);
    const int last = prefixes != 0 ? __ffs(prefixes) - 1 : kWarpSize - 1;
    before += WarpSum(lane <= last ? ScanCount(word) : int64_t{0});
    if (prefixes != 0) break;
  }
  if (lane == 0 && tile > 0) {
    PublishScan(words + tile, before + count, kScanPrefix);
  }
  return before;
}

// What a thread knows of its tile after the scan.
struct ScanTile {
  int64_t index;
  int64_t before[kScanRounds];  // Trues before the thread's pack of each round
  int64_t end;                  // Trues up to the end of the tile
};

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

// `counts` are the Trues of the thread's packs, a field of 16 bits a round: a
// round of a block has at most 256 * 16 Trues, so that one scan does four.
__device__ inline ScanTile ScanBlock(uint64_t* words,
                                     int64_t tile,
                                     uint64_t counts) {
  constexpr int kWarps = kGpuThreads / kWarpSize;
  __shared__ uint64_t warp_counts[kWarps];
  __shared__ int64_t tile_before;
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;

  uint64_t inclusive = counts;
  for (int step = 1; step < kWarpSize; step *= 2) {
    const uint64_t other = __shfl_up_sync(kFullWarp, inclusive, step);
    if (lane >= step) inclusive += other;
  }
  if (lane == kWarpSize - 1) warp_counts[warp] = inclusive;
  __syncthreads();

  uint64_t before = inclusive - counts;
  uint64_t total = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) before += warp_counts[w];
    total += warp_counts[w];
  }
  int64_t sum = 0;
  for (int r = 0; r < kScanRounds; ++r) sum += total >> (16 * r) & 0xffff;
  if (warp == 0) {
    const int64_t found = LookBack(words, tile, sum);
    if (lane == 0) tile_before = found;
  }
  __syncthreads();

  ScanTile result;
  result.index = tile;
  int64_t round_start = tile_before;
  for (int r = 0; r < kScanRounds; ++r) {
    result.before[r] = round_start + (before >> (16 * r) & 0xffff);
    round_start += total >> (16 * r) & 0xffff;
  }
  result.end = round_start;
  return result;
}

// Packs of 16 bytes where every pointer allows it, else single elements.
template <typename Word>
bool CanPack(const void* mask, const void* a, const void* b) {
  return IsAligned(mask, PackSize<Word>()) && IsAligned(a, 16) &&
         IsAligned(b, 16);
}

// The mask bits of output elements [i, i + N), as far as there are any.
template <int N, bool kFlat>
__device__ inline unsigned MaskBits(const GpuOperand<uint8_t>& mask,
                                    int64_t i,
                                    int64_t numel) {
  unsigned bits = 0;
  if (kFlat && i + N <= numel) {
    const Pack<uint8_t, N> bytes = LoadPack<uint8_t, N>(mask.data + i);
#pragma unroll
    for (int j = 0; j < N; ++j) bits |= (bytes.lane[j] != 0 ? 1u : 0u) << j;
    return bits;
  }
  for (int j = 0; j < N && i + j < numel; ++j) {
    const int64_t offset = kFlat ? i + j : mask.view.Offset(i + j);
    bits |= (IsTrueAt(mask.data, offset) ? 1u : 0u) << j;
  }
  return bits;
}

// Elements [i, i + N) of an operand with data, read along the output.
template <typename Word, int N, bool kFlat>
__device__ inline Pack<Word, N> ReadElements(const GpuOperand<Word>& operand,
                                             int64_t i,
                                             int64_t numel) {
  if (kFlat && i + N <= numel) return LoadPack<Word, N>(operand.data + i);
  Pack<Word, N> pack{};
  for (int j = 0; j < N && i + j < numel; ++j) {
    pack.lane[j] = operand.data[kFlat ? i + j : operand.view.Offset(i + j)];
  }
  return pack;
}

template <typename Word, int N>
__device__ inline void WriteElements(Word* data,
                                     int64_t i,
                                     int64_t numel,
                                     const Pack<Word, N>& pack) {
  if (i + N <= numel) {
    StorePack<Word, N>(data + i, pack);
    return;
  }
  for (int j = 0; j < N && i + j < numel; ++j) data[i + j] = pack.lane[j];
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
