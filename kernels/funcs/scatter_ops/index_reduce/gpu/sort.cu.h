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

// A stable radix sort of small numbers on the GPU, which also says where each
// one came from. The host learns nothing of the data, so that the launches
// depend on shapes only.

#pragma once

#include <cstdint>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
static_assert(kDigits == kGpuThreads, "a thread of a block owns a digit");

// A tile's items of one warp are neighbours, and so are those of one round.
constexpr int kSortRounds = 8;
constexpr int kSortWarps = kGpuThreads / kWarpSize;
constexpr int64_t kSortTile = kGpuThreads * kSortRounds;

inline int64_t SortTiles(int64_t n) { return (n + kSortTile - 1) / kSortTile; }

// Passes over keys below `bound`.
inline int SortPasses(int64_t bound) {
  int passes = 1;
  for (int64_t rest = (bound - 1) >> kDigitBits; rest > 0;
       rest >>= kDigitBits) {
    ++passes;
  }
  return passes;
}

template <typename Id>
struct SortItems {
  Id* keys;
  Id* origins;  // null: item i came from i
};

// One pass's view of its operands. Tile t has counts[d * tiles + t] items of
// digit d; totals[d] is their sum over the tiles.
template <typename Id>
struct SortPass {
  SortItems<Id> in;
  SortItems<Id> out;
  int64_t n;
  int64_t tiles;
  int shift;
  Id* counts;
  Id* totals;
};

template <typename Id>
__device__ inline unsigned DigitOf(Id key, int shift) {
  return static_cast<unsigned>(key >> shift) & (kDigits - 1);
}

// By a whole block: the sum of the values of the threads before this one.
template <typename V>
__device__ inline V SumBefore(V value, V* total) {
  __shared__ V warp_sums[kSortWarps];
  const int lane = threadIdx.x % kWarpSize;
  const int warp = threadIdx.x / kWarpSize;
  V inclusive = value;
  for (int step = 1; step < kWarpSize; step *= 2) {
    const V other = __shfl_up_sync(kFullWarp, inclusive, step);
    if (lane >= step) inclusive += other;
  }
  __syncthreads();  // an earlier call's sums have been read
  if (lane == kWarpSize - 1) warp_sums[warp] = inclusive;
  __syncthreads();
  V before = inclusive - value;
  *total = 0;
  for (int w = 0; w < kSortWarps; ++w) {
    if (w < warp) before += warp_sums[w];
    *total += warp_sums[w];
  }
  return before;
}

template <typename Id>
__global__ void __launch_bounds__(kGpuThreads)
    CountDigitsGpuKernel(SortPass<Id> pass) {
  __shared__ unsigned counts[kDigits];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int64_t first = blockIdx.x * kSortTile + threadIdx.x;
  for (int r = 0; r < kSortRounds; ++r) {
    const int64_t i = first + r * kGpuThreads;
    if (i < pass.n) {
      atomicAdd(&counts[DigitOf(pass.in.keys[i], pass.shift)], 1u);
    }
  }
  __syncthreads();
  pass.counts[threadIdx.x * pass.tiles + blockIdx.x] = counts[threadIdx.x];
}

// A block a digit: turns the counts of its tiles into the counts before them.
template <typename Id>
__global__ void __launch_bounds__(kGpuThreads)
    ScanDigitsGpuKernel(SortPass<Id> pass) {
  Id* counts = pass.counts + blockIdx.x * pass.tiles;
  Id before = 0;
  for (int64_t base = 0; base < pass.tiles; base += kGpuThreads) {
    const int64_t t = base + threadIdx.x;
    const Id count = t < pass.tiles ? counts[t] : Id{0};
    Id total;
    const Id inside = SumBefore(count, &total);
    if (t < pass.tiles) counts[t] = before + inside;
    before += total;
  }
  if (threadIdx.x == 0) pass.totals[blockIdx.x] = before;
}

// The lanes of the warp that hold the same digit as this one, among those that
// hold any.
__device__ inline unsigned SameDigit(bool valid, unsigned digit) {
  unsigned same = __ballot_sync(kFullWarp, valid);
#pragma unroll
  for (int bit = 0; bit < kDigitBits; ++bit) {
    const bool set = digit >> bit & 1u;
    const unsigned lanes = __ballot_sync(kFullWarp, set);
    same &= set ? lanes : ~lanes;
  }
  return same;
}

// How many items of the warp's own digit came before, in this round and those
// already counted. Counts the round.
template <typename Id>
__device__ inline Id RankInWarp(bool valid, unsigned digit, Id* counts) {
  const int lane = threadIdx.x % kWarpSize;
  const unsigned same = SameDigit(valid, digit);
  const unsigned earlier = same & ((1u << lane) - 1);
  const Id before = counts[digit];
  __syncwarp();
  if (valid && earlier == 0) counts[digit] = before + __popc(same);
  __syncwarp();
  return before + __popc(earlier);
}

// Turns each warp's count of a digit into the place of its first such item.
template <typename Id>
__device__ inline void PlaceDigits(const SortPass<Id>& pass,
                                   int64_t tile,
                                   Id (*counts)[kDigits]) {
  const int digit = threadIdx.x;
  Id own = 0;
  for (int w = 0; w < kSortWarps; ++w) own += counts[w][digit];
  const bool alone = pass.tiles == 1;
  Id all;
  Id place = SumBefore(alone ? own : pass.totals[digit], &all);
  if (!alone) place += pass.counts[digit * pass.tiles + tile];
  for (int w = 0; w < kSortWarps; ++w) {
    const Id count = counts[w][digit];
    counts[w][digit] = place;
    place += count;
  }
}

// By a whole block: moves the items of a tile to where their digit puts them.
template <typename Id>
__device__ inline void MoveTile(const SortPass<Id>& pass, int64_t tile) {
  __shared__ Id counts[kSortWarps][kDigits];
  const int warp = threadIdx.x / kWarpSize;
  for (int w = 0; w < kSortWarps; ++w) counts[w][threadIdx.x] = 0;
  __syncthreads();

  const int64_t first = tile * kSortTile + warp * kWarpSize * kSortRounds +
                        threadIdx.x % kWarpSize;
  Id keys[kSortRounds];
  Id ranks[kSortRounds];
#pragma unroll
  for (int r = 0; r < kSortRounds; ++r) {
    const int64_t i = first + r * kWarpSize;
    keys[r] = i < pass.n ? pass.in.keys[i] : Id{0};
  }
#pragma unroll
  for (int r = 0; r < kSortRounds; ++r) {
    ranks[r] = RankInWarp(first + r * kWarpSize < pass.n,
                          DigitOf(keys[r], pass.shift),
                          counts[warp]);
  }
  __syncthreads();
  PlaceDigits(pass, tile, counts);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < kSortRounds; ++r) {
    const int64_t i = first + r * kWarpSize;
    if (i >= pass.n) continue;
    const Id place = counts[warp][DigitOf(keys[r], pass.shift)] + ranks[r];
    pass.out.keys[place] = keys[r];
    pass.out.origins[place] =
        pass.in.origins ? pass.in.origins[i] : static_cast<Id>(i);
  }
}

template <typename Id>
__global__ void __launch_bounds__(kGpuThreads)
    MoveTilesGpuKernel(SortPass<Id> pass) {
  MoveTile(pass, blockIdx.x);
}

inline int64_t SortCounts(int64_t n) { return kDigits * SortTiles(n); }

// One sort: its keys stay as they came, the passes go to and fro between
// `first.out` and `spare`.
template <typename Id>
struct SortPlan {
  SortPass<Id> first;  // counts has SortCounts(n) elements, totals kDigits
  SortItems<Id> spare;
  int passes;

  HOSTDEVICE void Advance(SortPass<Id>* pass) const {
    const SortItems<Id> done = pass->out;
    pass->out = pass->shift == 0 ? spare : pass->in;
    pass->in = done;
    pass->shift += kDigitBits;
  }

  SortItems<Id> sorted() const { return passes % 2 == 1 ? first.out : spare; }
};

// All passes of a sort that one tile holds: a single launch.
template <typename Id>
__global__ void __launch_bounds__(kGpuThreads)
    SortOneTileGpuKernel(SortPlan<Id> plan) {
  SortPass<Id> pass = plan.first;
  for (int p = 0; p < plan.passes; ++p) {
    MoveTile(pass, /*tile=*/0);
    __syncthreads();  // the next pass reads what all threads wrote
    plan.Advance(&pass);
  }
}

// Equal keys keep their order. There must be at least one key.
template <typename Id>
void SortGpu(const SortPlan<Id>& plan, GpuStream stream) {
  const unsigned tiles = static_cast<unsigned>(plan.first.tiles);
  if (tiles == 1) {
    SortOneTileGpuKernel<Id><<<1, kGpuThreads, 0, stream>>>(plan);
    return;
  }
  SortPass<Id> pass = plan.first;
  for (int p = 0; p < plan.passes; ++p) {
    CountDigitsGpuKernel<Id><<<tiles, kGpuThreads, 0, stream>>>(pass);
    ScanDigitsGpuKernel<Id><<<kDigits, kGpuThreads, 0, stream>>>(pass);
    MoveTilesGpuKernel<Id><<<tiles, kGpuThreads, 0, stream>>>(pass);
    plan.Advance(&pass);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
