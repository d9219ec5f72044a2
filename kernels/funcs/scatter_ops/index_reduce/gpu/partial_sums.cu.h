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

// Reduces the updates of a slot in the order of their positions on the GPU,
// however many they are. A part is a run of 32 sorted entries, at a multiple of
// 32; a part of level 2 is 32 such parts, and so on. Parts whose entries all
// belong to one slot are reduced beforehand, in parallel, so that no thread has
// many entries left to do. The result depends on the index alone, and is that
// of a plain loop for slots without a whole part.

#pragma once

#include <cstdint>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/lanes.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

constexpr int kPartBits = 5;
constexpr int64_t kPartSize = 1 << kPartBits;
constexpr int kMaxPartLevels = 63 / kPartBits;

inline int PartLevelCount(int64_t n) {
  int levels = 0;
  for (; n >= kPartSize; n >>= kPartBits) ++levels;
  return levels;
}

// The partial sums. Level l has a row of [outer, inner] for each run of 32^l
// sorted entries that starts at a multiple of 32^l. The row of a run that spans
// several slots is not written.
template <typename Sum>
struct PartLevels {
  int count;
  int64_t columns;
  Sum* sums[kMaxPartLevels + 1];  // from level 1

  __device__ Sum* At(int level, int64_t unit) const {
    return sums[level] + unit * columns;
  }
};

// Cuts sorted entries [at, end) into runs of parts, as big ones as there are.
struct PartWalk {
  int64_t at;
  int64_t end;
  int levels;

  // The run: parts [first, last) of `run_level`; level 0 are the entries.
  int64_t first = 0;
  int64_t last = 0;
  int run_level = 0;

  int level = 0;
  bool rising = true;

  __device__ PartWalk(int64_t begin, int64_t end, int levels)
      : at(begin), end(end), levels(levels) {}

  __device__ bool Next() {
    while (level >= 0) {
      Step();
      if (first < last) return true;
    }
    return false;
  }

 private:
  __device__ void Step() {
    const int shift = kPartBits * level;
    const int64_t above = int64_t{1} << (shift + kPartBits);
    const int64_t aligned = (at + above - 1) & -above;
    if (rising && (level == levels || aligned + above > end)) rising = false;
    const int64_t stop = rising ? aligned : end >> shift << shift;
    first = at >> shift;
    last = stop >> shift;
    run_level = level;
    at = stop;
    level += rising ? 1 : -1;
  }
};

// The operands that all reductions have.
template <typename T, typename Sum>
struct ReduceSource {
  SlotGroups groups;
  AxisView view;
  const T* updates;
  PartLevels<Sum> parts;
};

// Adds values to sums. The first value becomes the sum, unless `any` says that
// there is one already.
template <typename Reducer, int kCount>
struct Reduction {
  using Sum = typename Reducer::Sum;
  Sum sums[kCount];
  bool any = false;

  __device__ void Add(int l, Sum value) {
    sums[l] = any ? Combine<Reducer::kCombine>(sums[l], value) : value;
  }
};

// Updates that a thread loads before it adds the first of them, to have several
// loads in flight. Lanes in several rows have that with one update.
template <typename Sum, typename L>
constexpr int UpdatesInFlight() {
  if (!L::kIsPack) return 1;
  return RegisterBytes<Sum, L>() <= 32 ? 4 : 2;
}

// Adds the updates of sorted entries [first, last).
template <typename Reducer, typename L, typename Map>
__device__ inline void AddEntries(
    const ReduceSource<typename Reducer::Element, typename Reducer::Sum>&
        source,
    const L& lanes,
    const Map& map,
    int64_t first,
    int64_t last,
    Reduction<Reducer, L::kCount>* reduction) {
  constexpr int kInFlight = UpdatesInFlight<typename Reducer::Sum, L>();
  typename Reducer::Element values[L::kCount];
#pragma unroll kInFlight
  for (int64_t j = first; j < last; ++j) {
    lanes.Load(source.updates,
               lanes.updates,
               source.groups.order[j] * source.view.inner,
               values);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) reduction->Add(l, map(l, values[l]));
    reduction->any = true;
  }
}

// Adds parts [first, last) of a level.
template <typename Reducer, typename L>
__device__ inline void AddParts(const PartLevels<typename Reducer::Sum>& parts,
                                const L& lanes,
                                int level,
                                int64_t first,
                                int64_t last,
                                Reduction<Reducer, L::kCount>* reduction) {
#pragma unroll 1
  for (int64_t unit = first; unit < last; ++unit) {
    const auto* sums = parts.At(level, unit);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      if (lanes.Has(l)) reduction->Add(l, sums[lanes.Column(l)]);
    }
    reduction->any = true;
  }
}

// Adds the updates of sorted entries [begin, end), all of one slot.
template <typename Reducer, typename L, typename Map>
__device__ inline void AddRange(
    const ReduceSource<typename Reducer::Element, typename Reducer::Sum>&
        source,
    const L& lanes,
    const Map& map,
    int64_t begin,
    int64_t end,
    Reduction<Reducer, L::kCount>* reduction) {
  PartWalk walk(begin, end, source.parts.count);
  while (walk.Next()) {
    if (walk.run_level == 0) {
      AddEntries<Reducer>(source, lanes, map, walk.first, walk.last, reduction);
    } else {
      AddParts<Reducer>(source.parts,
                        lanes,
                        walk.run_level,
                        walk.first,
                        walk.last,
                        reduction);
    }
  }
}

// Level 1, a thread for each part and its lanes.
template <typename Reducer, typename L>
__global__ void __launch_bounds__(kGpuThreads,
                                  MinBlocks<typename Reducer::Sum, L>())
    ReducePartsGpuKernel(
        ReduceSource<typename Reducer::Element, typename Reducer::Sum> source,
        Reducer reducer) {
  const int64_t units = source.groups.n >> kPartBits;
  const int64_t work = L::Work(source.view, units);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<L>(source.view, units, w);
    const int64_t first = mine.item << kPartBits;
    if (!source.groups.SameSlot(first, first + kPartSize - 1)) continue;
    const L lanes(source.view, mine.row_block, mine.chunk);
    const auto map =
        reducer.MapOf(lanes, source.groups.keys[first] * source.view.inner);
    Reduction<Reducer, L::kCount> reduction;
    AddEntries<Reducer>(
        source, lanes, map, first, first + kPartSize, &reduction);
    auto* sums = source.parts.At(1, mine.item);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      if (lanes.Has(l)) sums[lanes.Column(l)] = reduction.sums[l];
    }
  }
}

template <typename V>
__device__ inline V ShuffleDown(const V& value, int step) {
  constexpr int kWords = (sizeof(V) + 3) / 4;
  uint32_t words[kWords] = {};
  std::memcpy(words, &value, sizeof(V));
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    words[i] = __shfl_down_sync(kFullWarp, words[i], step);
  }
  V other;
  std::memcpy(static_cast<void*>(&other), words, sizeof(V));
  return other;
}

// Level 1, a warp for each part and column: where rows are short, neighbouring
// updates are those of neighbouring positions.
template <typename Reducer>
__global__ void __launch_bounds__(kGpuThreads,
                                  MinBlocks<typename Reducer::Sum, OneLane>())
    ReducePartsByWarpGpuKernel(
        ReduceSource<typename Reducer::Element, typename Reducer::Sum> source,
        Reducer reducer) {
  constexpr int kPerLane = kPartSize / kWarpSize;
  const int lane = threadIdx.x % kWarpSize;
  const int64_t units = source.groups.n >> kPartBits;
  const int64_t work = units * source.parts.columns;
  for (int64_t w = GlobalThread() / kWarpSize; w < work;
       w += GridThreads() / kWarpSize) {
    const Division part = Divide(w, units);
    const int64_t first = part.rest << kPartBits;
    if (!source.groups.SameSlot(first, first + kPartSize - 1)) continue;
    const Division column = Divide(part.quotient, source.view.inner);
    const OneLane lanes(source.view, column.quotient, column.rest);
    const auto map =
        reducer.MapOf(lanes, source.groups.keys[first] * source.view.inner);
    Reduction<Reducer, 1> reduction;
    const int64_t own = first + lane * kPerLane;
    AddEntries<Reducer>(source, lanes, map, own, own + kPerLane, &reduction);
    // Lane l ends up with the sum of the lanes from l on, in their order.
    for (int step = 1; step < kWarpSize; step *= 2) {
      reduction.Add(0, ShuffleDown(reduction.sums[0], step));
    }
    if (lane == 0) {
      source.parts.At(1, part.rest)[part.quotient] = reduction.sums[0];
    }
  }
}

// A level above the first one, from the level below it.
template <typename Sum, IndexReduce kReduce>
__global__ void __launch_bounds__(kGpuThreads)
    CombinePartsGpuKernel(SlotGroups groups,
                          int level,
                          int64_t columns,
                          const Sum* below,
                          Sum* sums) {
  const int shift = kPartBits * level;
  const int64_t work = (groups.n >> shift) * columns;
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const Division part = Divide(w, columns);
    const int64_t first = part.quotient << shift;
    const int64_t last = first + (int64_t{1} << shift) - 1;
    if (!groups.SameSlot(first, last)) continue;
    const Sum* next =
        below + (part.quotient << kPartBits) * columns + part.rest;
    Sum sum = *next;
#pragma unroll 4
    for (int64_t i = 1; i < kPartSize; ++i) {
      next += columns;
      sum = Combine<kReduce>(sum, *next);
    }
    sums[w] = sum;
  }
}

// Short rows, for which ReducePartsByWarpGpuKernel is made.
constexpr int64_t kShortRow = 8;

template <typename L, typename Reducer>
void QueuePartialSums(const ReduceSource<typename Reducer::Element,
                                         typename Reducer::Sum>& source,
                      const Reducer& reducer,
                      int multiprocessors,
                      GpuStream stream) {
  using Sum = typename Reducer::Sum;
  const int64_t n = source.groups.n;
  const int64_t columns = source.parts.columns;
  if (source.parts.count == 0) return;
  if (!L::kIsPack && source.view.inner < kShortRow) {
    const int64_t warps = (n >> kPartBits) * columns;
    ReducePartsByWarpGpuKernel<Reducer>
        <<<GridSize(warps * kWarpSize, multiprocessors),
           kGpuThreads,
           0,
           stream>>>(source, reducer);
  } else {
    const int64_t work = L::Work(source.view, n >> kPartBits);
    ReducePartsGpuKernel<Reducer, L>
        <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(source,
                                                                      reducer);
  }
  for (int level = 2; level <= source.parts.count; ++level) {
    const int64_t work = (n >> (kPartBits * level)) * columns;
    CombinePartsGpuKernel<Sum, Reducer::kCombine>
        <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(
            source.groups,
            level,
            columns,
            source.parts.sums[level - 1],
            source.parts.sums[level]);
  }
}

// Room for the parts of `n` sorted entries.
template <typename Sum, typename Context>
PartLevels<Sum> AllocParts(const Context& dev_ctx,
                           const AxisView& view,
                           int64_t n,
                           DenseTensor* memory) {
  PartLevels<Sum> parts{PartLevelCount(n), view.outer * view.inner, {}};
  if (parts.count == 0) return parts;
  int64_t units = 0;
  for (int level = 1; level <= parts.count; ++level) {
    units += n >> (kPartBits * level);
  }
  memory->Resize(common::make_ddim(
      {units * parts.columns * static_cast<int64_t>(sizeof(Sum))}));
  Sum* next = reinterpret_cast<Sum*>(dev_ctx.template Alloc<uint8_t>(memory));
  for (int level = 1; level <= parts.count; ++level) {
    parts.sums[level] = next;
    next += (n >> (kPartBits * level)) * parts.columns;
  }
  return parts;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
