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

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/lanes.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

constexpr int kPartBits = 5;
constexpr int64_t kPartSize = 1 << kPartBits;

// The sums of the parts of n sorted entries, level after level. That of a part
// is a row of `columns`; it is not written if the part spans several slots.
template <typename Sum>
struct PartSums {
  int64_t n;
  int64_t columns = 0;
  Sum* sums = nullptr;
  int levels = 0;

  explicit PartSums(int64_t n) : n(n) {
    while (Count(levels + 1) > 0) ++levels;
  }

  HOSTDEVICE int64_t Count(int level) const { return n >> kPartBits * level; }

  // Parts of all levels below `level`.
  HOSTDEVICE int64_t CountBelow(int level) const {
    int64_t count = 0;
    for (int l = 1; l < level; ++l) count += Count(l);
    return count;
  }
  HOSTDEVICE int64_t CountAll() const { return CountBelow(levels + 1); }

  __device__ Sum* At(int level, int64_t part) const {
    return sums + (CountBelow(level) + part) * columns;
  }
};

// Adds values to the sums of some lanes. The first value becomes the sum,
// unless `any` says that there is one already.
template <IndexReduce kReduce, typename Sum, typename L>
struct Reduction {
  Sum sums[L::kCount];
  bool any = false;

  // values(l) is that of lane l.
  template <typename F>
  __device__ void Add(const F& values) {
    L::Each([&](int l) {
      const Sum value = static_cast<Sum>(values(l));
      sums[l] = any ? Combine<kReduce>(sums[l], value) : value;
    });
    any = true;
  }
};

// What of an element goes into a reduction: all of it. At() gets a functor for
// the lanes of a slot at an offset: it takes a lane's number and an update, and
// OfX() an element of x.
template <typename T>
struct WholeElement {
  using Out = T;

  template <typename L>
  __device__ WholeElement At(const L&, int64_t) const {
    return {};
  }
  __device__ T operator()(int, T value) const { return value; }
  __device__ T OfX(int, T value) const { return value; }
};

// Reduces each slot of x and its updates to a slot of out. kAssign takes the
// last update, kSum is for means as well. A sum without x starts from zero,
// which turns a lone -0.0 into 0.0.
template <typename T, IndexReduce kReduce, typename Map = WholeElement<T>>
struct SlotReducer {
  using Out = typename Map::Out;
  using Sum = std::conditional_t<kReduce == IndexReduce::kAssign,
                                 T,
                                 typename GpuReduceType<Out, kReduce>::type>;
  template <typename L>
  using Result = Reduction<kReduce, Sum, L>;

  SlotGroups groups;
  AxisView view;
  const T* x;
  const T* updates;
  Out* out;
  bool include_self = true;
  bool mean = false;
  Map map = {};
  PartSums<Sum> parts{kReduce == IndexReduce::kAssign ? 0 : groups.n};

  // Adds sorted entries [at, end), all of one slot, by parts as big as there
  // are: first of rising levels, then of falling ones.
  template <typename L, typename M, typename R>
  __device__ void AddRange(
      const L& lanes, const M& of, int64_t at, int64_t end, R* result) const {
    bool rising = true;
    for (int level = 0; level >= 0; level += rising ? 1 : -1) {
      const int shift = kPartBits * level;
      const int64_t above = int64_t{1} << (shift + kPartBits);
      const int64_t aligned = (at + above - 1) & -above;
      rising = rising && level < parts.levels && aligned + above <= end;
      const int64_t stop = rising ? aligned : end >> shift << shift;
      AddParts(lanes, of, level, at >> shift, stop >> shift, result);
      at = stop;
    }
  }

  // What comes before the updates.
  template <typename L, typename M, typename R>
  __device__ void AddX(const L& lanes,
                       const M& of,
                       int64_t at,
                       R* result) const {
    AlignedVector<T, L::kCount> own;
    if (include_self) {
      phi::Load(x + lanes.x + at, &own);
      result->Add([&](int l) { return of.OfX(l, own[l]); });
    } else if (kReduce == IndexReduce::kSum) {
      result->Add([&](int) { return Out{}; });
    }
  }

  // A part of a level, from those of the level below.
  template <typename L>
  __device__ void ReducePart(const L& lanes, int level, int64_t part) const {
    const int64_t size = int64_t{1} << kPartBits * level;
    const int64_t first = part * size;
    if (!groups.SameSlot(first, first + size - 1)) return;
    const auto of = map.At(lanes, groups.keys[first] * view.inner);
    Result<L> result;
    const int64_t below = part << kPartBits;
    AddParts(lanes, of, level - 1, below, below + kPartSize, &result);
    Sum* sums = parts.At(level, part) + lanes.column;
    L::Each([&](int l) { sums[l] = result.sums[l]; });
  }

  // The slot of group i, into out.
  template <typename L>
  __device__ void operator()(const L& lanes, int64_t i) const {
    const SlotGroup group = groups[i];
    const int64_t at = group.slot * view.inner;
    if (group.size() == 0) {
      if (groups.by_slot) CopySlot(lanes, at);
      return;
    }
    const auto of = map.At(lanes, at);
    Result<L> result;
    int64_t begin = group.begin;
    if (kReduce == IndexReduce::kAssign) {
      begin = group.end - 1;
    } else {
      AddX(lanes, of, at, &result);
    }
    AddRange(lanes, of, begin, group.end, &result);
    AlignedVector<Out, L::kCount> values;
    L::Each([&](int l) {
      values[l] = static_cast<Out>(
          kReduce == IndexReduce::kSum && mean
              ? DivideByCount(result.sums[l], group.size() + include_self)
              : result.sums[l]);
    });
    phi::Store(values, out + lanes.x + at);
  }

 private:
  // Adds parts [first, last) of a level, all of one slot; level 0 are the
  // entries.
  template <typename L, typename M, typename R>
  __device__ void AddParts(const L& lanes,
                           const M& of,
                           int level,
                           int64_t first,
                           int64_t last,
                           R* result) const {
    if (level > 0) {
      const Sum* sums = parts.At(level, first) + lanes.column;
#pragma unroll 2
      for (; first < last; ++first, sums += parts.columns) {
        result->Add([&](int l) { return sums[l]; });
      }
      return;
    }
    // Updates that are loaded before the first of them is added.
    constexpr int kBytes = L::kCount * (sizeof(Sum) < 4 ? 4 : sizeof(Sum));
    constexpr int kInFlight = kBytes <= 32 ? 4 : 2;
    AlignedVector<T, L::kCount> values;
#pragma unroll kInFlight
    for (; first < last; ++first) {
      phi::Load(updates + lanes.updates + groups.order[first] * view.inner,
                &values);
      result->Add([&](int l) { return of(l, values[l]); });
    }
  }

  template <typename L>
  __device__ void CopySlot(const L& lanes, int64_t at) const {
    if constexpr (std::is_same<Out, T>::value) {
      if (out == x) return;
      AlignedVector<T, L::kCount> values;
      phi::Load(x + lanes.x + at, &values);
      phi::Store(values, out + lanes.x + at);
    }
  }
};

// ReducePart as ForEachLane calls it.
template <typename Reducer>
struct ReduceParts {
  Reducer reducer;
  int level;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t part) const {
    reducer.ReducePart(lanes, level, part);
  }
};

// Along the last axis the updates of a slot lie all over their row: a block
// loads some rows as they lie into shared memory, which also takes the sums of
// their parts, and reduces them from there.
constexpr int64_t kStagedBytes = 48 << 10;
constexpr int kStagedThreads = 512;

// Calls f(row, item) for all of both, by the threads of a block. The numbers
// are counted on, since a division costs more than much of what f does.
template <typename F>
__device__ inline void EachOfBlock(int rows, int items, const F& f) {
  const int row_step = kStagedThreads / items;
  const int item_step = kStagedThreads % items;
  int row = static_cast<int>(threadIdx.x) / items;
  int item = static_cast<int>(threadIdx.x) % items;
  while (row < rows) {
    f(row, item);
    row += row_step;
    item += item_step;
    if (item >= items) {
      item -= items;
      ++row;
    }
  }
}

// By the threads of a block. What is read is not written: several loads are in
// flight.
template <typename T>
__device__ inline void CopyByBlock(const T* __restrict__ from,
                                   int count,
                                   T* __restrict__ to) {
#pragma unroll 8
  for (int i = threadIdx.x; i < count; i += kStagedThreads) to[i] = from[i];
}

// parts.columns rows at a time.
template <typename T, IndexReduce kReduce, typename Map>
__global__ void __launch_bounds__(kStagedThreads, 2)
    ReduceStagedGpuKernel(SlotReducer<T, kReduce, Map> reducer) {
  using Sum = typename SlotReducer<T, kReduce, Map>::Sum;
  __shared__ AlignedVector<uint64_t, 2> memory[kStagedBytes / 16];
  const AxisView& view = reducer.view;
  const int64_t tile = reducer.parts.columns;
  const T* updates = reducer.updates;
  reducer.parts.sums = reinterpret_cast<Sum*>(memory);
  T* staged = reinterpret_cast<T*>(reducer.parts.sums +
                                   reducer.parts.CountAll() * tile);
  reducer.updates = staged;
  for (int64_t first = blockIdx.x * tile; first < view.outer;
       first += gridDim.x * tile) {
    const int rows = static_cast<int>(min(tile, view.outer - first));
    const auto lanes_of = [&](int row) {
      Lanes<1> lanes(view, first + row, 0);
      lanes.updates = row * view.updates_size;
      lanes.column = row;
      return lanes;
    };
    CopyByBlock(updates + first * view.updates_size,
                static_cast<int>(rows * view.updates_size),
                staged);
    __syncthreads();
    for (int level = 1; level <= reducer.parts.levels; ++level) {
      const int count = static_cast<int>(reducer.parts.Count(level));
      EachOfBlock(rows, count, [&](int row, int part) {
        reducer.ReducePart(lanes_of(row), level, part);
      });
      __syncthreads();
    }
    const int count = static_cast<int>(reducer.groups.count);
    EachOfBlock(
        rows, count, [&](int row, int i) { reducer(lanes_of(row), i); });
    __syncthreads();
  }
}

// How many rows a block stages: few enough that every multiprocessor has some.
// 0 if rows are too long, too few, or not along the last axis.
template <typename T, IndexReduce kReduce, typename Map>
int64_t StagedRows(const GPUContext& dev_ctx,
                   const SlotReducer<T, kReduce, Map>& reducer) {
  using Sum = typename SlotReducer<T, kReduce, Map>::Sum;
  const AxisView& view = reducer.view;
  const int64_t row_bytes =
      view.updates_size * static_cast<int64_t>(sizeof(T)) +
      reducer.parts.CountAll() * static_cast<int64_t>(sizeof(Sum));
  const int64_t processors = dev_ctx.GetSMCount();
  if (view.inner > 1 || view.outer < processors ||
      reducer.groups.count > INT32_MAX / 2 || row_bytes > kStagedBytes) {
    return 0;
  }
  return std::max<int64_t>(
      1, std::min(kStagedBytes / row_bytes, view.outer / (4 * processors)));
}

// Before reducer.AddRange, which reads them.
template <typename T, IndexReduce kReduce, typename Map>
void QueuePartSums(const GPUContext& dev_ctx,
                   SlotReducer<T, kReduce, Map>* reducer,
                   DenseTensor* memory) {
  using Reducer = SlotReducer<T, kReduce, Map>;
  auto& parts = reducer->parts;
  parts.columns = reducer->view.outer * reducer->view.inner;
  parts.sums = AllocScratch<typename Reducer::Sum>(
      dev_ctx, parts.CountAll() * parts.columns, memory);
  for (int level = 1; level <= parts.levels; ++level) {
    ForEachLane<T>(dev_ctx,
                   reducer->view,
                   parts.Count(level),
                   ReduceParts<Reducer>{*reducer, level},
                   reducer->updates);
  }
}

template <typename T, IndexReduce kReduce, typename Map>
void ReduceSlotsGpu(const GPUContext& dev_ctx,
                    SlotReducer<T, kReduce, Map> reducer) {
  const AxisView& view = reducer.view;
  const int64_t rows = StagedRows(dev_ctx, reducer);
  if (rows > 0) {
    reducer.parts.columns = rows;
    const int64_t tiles = (view.outer + rows - 1) / rows;
    const int64_t most = 4 * dev_ctx.GetSMCount();
    ReduceStagedGpuKernel<<<static_cast<unsigned>(std::min(tiles, most)),
                            kStagedThreads,
                            0,
                            dev_ctx.stream()>>>(reducer);
    return;
  }
  DenseTensor memory;
  QueuePartSums(dev_ctx, &reducer, &memory);
  ForEachLane<T>(dev_ctx,
                 view,
                 reducer.groups.count,
                 reducer,
                 reducer.x,
                 reducer.updates,
                 reducer.out);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
