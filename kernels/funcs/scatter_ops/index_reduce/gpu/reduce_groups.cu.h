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

// Reduces the updates of each slot in the order of their positions on the GPU,
// however many they are. No atomics. A part is a run of 32 sorted entries, at a
// multiple of 32; a part of level 2 is 32 such parts, and so on. Parts whose
// entries all belong to one slot are reduced beforehand, in parallel, so that
// no thread has many entries left to do. The result depends on the index alone,
// and is that of a plain loop for slots without a whole part.

#pragma once

#include <cstdint>
#include <initializer_list>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/lanes.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

constexpr int kPartBits = 5;
constexpr int64_t kPartSize = 1 << kPartBits;
constexpr int kMaxPartLevels = 63 / kPartBits;
static_assert(kPartSize == kWarpSize, "a warp reduces a part");

// The partial sums. Level l has a row of [outer, inner] for each run of 32^l
// sorted entries that starts at a multiple of 32^l. The row of a run that spans
// several slots is not written.
template <typename Sum>
struct PartLevels {
  int count = 0;
  int64_t columns;
  Sum* sums[kMaxPartLevels + 1];  // from level 1

  // Room for the parts of `n` sorted entries.
  PartLevels(const GPUContext& dev_ctx,
             const AxisView& view,
             int64_t n,
             DenseTensor* memory)
      : columns(view.outer * view.inner) {
    int64_t units = 0;
    while (n >> kPartBits * (count + 1) > 0) {
      units += n >> kPartBits * ++count;
    }
    if (count == 0) return;
    Sum* next = AllocScratch<Sum>(dev_ctx, units * columns, memory);
    for (int level = 1; level <= count; ++level) {
      sums[level] = next;
      next += (n >> kPartBits * level) * columns;
    }
  }

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
  return (sizeof(Sum) < 4 ? 4 : sizeof(Sum)) * L::kCount <= 32 ? 4 : 2;
}

// The operands that all reductions have.
template <typename T, typename Sum>
struct ReduceSource {
  SlotGroups groups;
  AxisView view;
  const T* updates;
  PartLevels<Sum> parts;

  // Adds the updates of sorted entries [first, last).
  template <typename L, typename Map, typename R>
  __device__ void AddEntries(const L& lanes,
                             const Map& map,
                             int64_t first,
                             int64_t last,
                             R* reduction) const {
    constexpr int kInFlight = UpdatesInFlight<Sum, L>();
    T values[L::kCount];
#pragma unroll kInFlight
    for (int64_t j = first; j < last; ++j) {
      lanes.Load(updates, lanes.updates, groups.order[j] * view.inner, values);
#pragma unroll
      for (int l = 0; l < L::kCount; ++l) reduction->Add(l, map(l, values[l]));
      reduction->any = true;
    }
  }

  // The same of entries that are all of one slot, with its parts.
  template <typename L, typename Map, typename R>
  __device__ void AddRange(const L& lanes,
                           const Map& map,
                           int64_t begin,
                           int64_t end,
                           R* reduction) const {
    PartWalk walk(begin, end, parts.count);
    while (walk.Next()) {
      if (walk.run_level == 0) {
        AddEntries(lanes, map, walk.first, walk.last, reduction);
        continue;
      }
#pragma unroll 1
      for (int64_t unit = walk.first; unit < walk.last; ++unit) {
        const Sum* sums = parts.At(walk.run_level, unit);
#pragma unroll
        for (int l = 0; l < L::kCount; ++l) {
          if (lanes.Has(l)) reduction->Add(l, sums[lanes.Column(l)]);
        }
        reduction->any = true;
      }
    }
  }
};

// A Reducer has
//   Element, Sum, kCombine: what is added up, and how;
//   Start(lanes, at, reduction): what comes before the updates of the slot at
//     offset `at`, if anything does;
//   MapOf(lanes, at): a functor from (lane, update) to what is added;
//   Finish(lanes, at, size, sums): writes a slot of `size` updates;
//   Skip(lanes, at): writes a slot without updates. Not called for groups
//     numbered by entry.
template <typename Reducer>
using SourceOf = ReduceSource<typename Reducer::Element, typename Reducer::Sum>;

// Level 1, a thread for each part and its lanes.
template <typename Reducer>
struct ReduceParts {
  SourceOf<Reducer> source;
  Reducer reducer;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t part) const {
    const int64_t first = part << kPartBits;
    if (!source.groups.SameSlot(first, first + kPartSize - 1)) return;
    const auto map =
        reducer.MapOf(lanes, source.groups.keys[first] * source.view.inner);
    Reduction<Reducer, L::kCount> reduction;
    source.AddEntries(lanes, map, first, first + kPartSize, &reduction);
    auto* sums = source.parts.At(1, part);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      if (lanes.Has(l)) sums[lanes.Column(l)] = reduction.sums[l];
    }
  }
};

// Level 1, a warp for each part and column: where rows are short, neighbouring
// updates are those of neighbouring positions.
template <typename Reducer>
struct ReducePartsByWarp {
  SourceOf<Reducer> source;
  Reducer reducer;
  FastDivMod<int64_t> by_parts;
  FastDivMod<int64_t> by_inner;

  __device__ void operator()(int64_t thread) const {
    const int64_t w = thread / kWarpSize;
    const int64_t column = by_parts.Div(w);
    const int64_t part = w - column * (source.groups.n >> kPartBits);
    const int64_t first = part << kPartBits;
    if (!source.groups.SameSlot(first, first + kPartSize - 1)) return;
    const int64_t row = by_inner.Div(column);
    const OneLane lanes(source.view, row, column - row * source.view.inner);
    const auto map =
        reducer.MapOf(lanes, source.groups.keys[first] * source.view.inner);
    Reduction<Reducer, 1> reduction;
    const int64_t own = first + thread % kWarpSize;
    source.AddEntries(lanes, map, own, own + 1, &reduction);
    // Lane l ends up with the sum of the lanes from l on, in their order.
    for (int step = 1; step < kWarpSize; step *= 2) {
      reduction.Add(0,
                    backends::gpu::CudaShuffleDownSync(
                        kFullWarp, reduction.sums[0], step));
    }
    if (thread % kWarpSize == 0) {
      source.parts.At(1, part)[column] = reduction.sums[0];
    }
  }
};

// A level above the first one, from the level below it.
template <typename Sum, IndexReduce kReduce>
struct CombineParts {
  SlotGroups groups;
  PartLevels<Sum> parts;
  int level;
  FastDivMod<int64_t> by_columns;

  __device__ void operator()(int64_t w) const {
    const int64_t part = by_columns.Div(w);
    const int shift = kPartBits * level;
    const int64_t first = part << shift;
    if (!groups.SameSlot(first, first + (int64_t{1} << shift) - 1)) return;
    const int64_t column = w - part * parts.columns;
    const Sum* next = parts.At(level - 1, part << kPartBits) + column;
    Sum sum = *next;
#pragma unroll 4
    for (int64_t i = 1; i < kPartSize; ++i) {
      next += parts.columns;
      sum = Combine<kReduce>(sum, *next);
    }
    parts.At(level, part)[column] = sum;
  }
};

// `pointers` are those whose lanes are read.
template <typename Reducer>
void QueuePartialSums(const GPUContext& dev_ctx,
                      const SourceOf<Reducer>& source,
                      const Reducer& reducer,
                      std::initializer_list<const void*> pointers) {
  using T = typename Reducer::Element;
  using Sum = typename Reducer::Sum;
  if (source.parts.count == 0) return;
  const int64_t n = source.groups.n;
  const int64_t units = n >> kPartBits;
  const int64_t columns = source.parts.columns;
  // Rows shorter than a pack.
  if (source.view.inner < PackSize<T>()) {
    ForEach(dev_ctx,
            units * columns * kWarpSize,
            ReducePartsByWarp<Reducer>{source,
                                       reducer,
                                       FastDivMod<int64_t>(units),
                                       FastDivMod<int64_t>(source.view.inner)});
  } else {
    ForEachLane<T>(dev_ctx,
                   source.view,
                   units,
                   pointers,
                   ReduceParts<Reducer>{source, reducer});
  }
  for (int level = 2; level <= source.parts.count; ++level) {
    ForEach(
        dev_ctx,
        (n >> kPartBits * level) * columns,
        CombineParts<Sum, Reducer::kCombine>{
            source.groups, source.parts, level, FastDivMod<int64_t>(columns)});
  }
}

// A thread reduces its lanes of a slot and writes them.
template <typename Reducer>
struct ReduceSlots {
  SourceOf<Reducer> source;
  Reducer reducer;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t i) const {
    const SlotGroup group = source.groups[i];
    const int64_t at = group.slot * source.view.inner;
    if (group.begin == group.end) {
      if (source.groups.by_slot) reducer.Skip(lanes, at);
      return;
    }
    Reduction<Reducer, L::kCount> reduction;
    reducer.Start(lanes, at, &reduction);
    source.AddRange(
        lanes, reducer.MapOf(lanes, at), group.begin, group.end, &reduction);
    reducer.Finish(lanes, at, group.size(), reduction.sums);
  }
};

// Runs a reducer over all groups. `pointers` are those that it reads or writes
// lanes of, which may be null.
template <typename Reducer>
void ReduceSlotsGpu(const GPUContext& dev_ctx,
                    const SlotGroups& groups,
                    const AxisView& view,
                    const typename Reducer::Element* updates,
                    const Reducer& reducer,
                    std::initializer_list<const void*> pointers) {
  DenseTensor memory;
  const SourceOf<Reducer> source{
      groups, view, updates, {dev_ctx, view, groups.n, &memory}};
  QueuePartialSums(dev_ctx, source, reducer, pointers);
  ForEachLane<typename Reducer::Element>(dev_ctx,
                                         view,
                                         groups.count,
                                         pointers,
                                         ReduceSlots<Reducer>{source, reducer});
}

// The updates as they are.
template <typename T, typename Sum>
struct PlainUpdates {
  __device__ Sum operator()(int, T value) const {
    return static_cast<Sum>(value);
  }
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
