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
// "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). CUB's own
// scan can't be fused with what is done to the elements.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/cub.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

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

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
