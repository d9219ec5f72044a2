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

// The kernel that owns the slots: a thread adds up all updates of its lanes of
// a slot, in the order of their positions, and writes the result. No atomics.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/partial_sums.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// A Reducer has
//   Element, Sum, kCombine: what is added up, and how;
//   Start(lanes, at, reduction): what comes before the updates of the slot at
//     offset `at`, if anything does;
//   MapOf(lanes, at): a functor from (lane, update) to what is added;
//   Finish(lanes, at, size, sums): writes a slot of `size` updates;
//   Skip(lanes, at): writes a slot without updates. Not called for groups
//     numbered by entry.
template <typename Reducer, typename L>
__global__ void __launch_bounds__(kGpuThreads,
                                  MinBlocks<typename Reducer::Sum, L>())
    ReduceSlotsGpuKernel(
        ReduceSource<typename Reducer::Element, typename Reducer::Sum> source,
        Reducer reducer) {
  const int64_t work = L::Work(source.view, source.groups.count);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<L>(source.view, source.groups.count, w);
    const SlotGroup group = source.groups[mine.item];
    const bool empty = group.begin == group.end;
    if (empty && !source.groups.by_slot) continue;
    const L lanes(source.view, mine.row_block, mine.chunk);
    const int64_t at = group.slot * source.view.inner;
    if (empty) {
      reducer.Skip(lanes, at);
      continue;
    }
    Reduction<Reducer, L::kCount> reduction;
    reducer.Start(lanes, at, &reduction);
    AddRange<Reducer>(source,
                      lanes,
                      reducer.MapOf(lanes, at),
                      group.begin,
                      group.end,
                      &reduction);
    reducer.Finish(lanes, at, group.size(), reduction.sums);
  }
}

template <typename L, typename Reducer>
void QueueSlots(const ReduceSource<typename Reducer::Element,
                                   typename Reducer::Sum>& source,
                const Reducer& reducer,
                int multiprocessors,
                GpuStream stream) {
  QueuePartialSums<L>(source, reducer, multiprocessors, stream);
  const int64_t work = L::Work(source.view, source.groups.count);
  ReduceSlotsGpuKernel<Reducer, L>
      <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(source,
                                                                    reducer);
}

// Runs a reducer over all groups. `pointers` are those that it reads or writes
// lanes of, which may be null.
template <typename Reducer, typename Context>
void ReduceSlotsGpu(const Context& dev_ctx,
                    const SlotGroups& groups,
                    const AxisView& view,
                    const typename Reducer::Element* updates,
                    const Reducer& reducer,
                    std::initializer_list<const void*> pointers) {
  using T = typename Reducer::Element;
  using Sum = typename Reducer::Sum;
  DenseTensor memory;
  const ReduceSource<T, Sum> source{
      groups, view, updates, AllocParts<Sum>(dev_ctx, view, groups.n, &memory)};
  const int multiprocessors = dev_ctx.GetSMCount();
  VisitLanes<T>(view, pointers, [&](auto* lanes) {
    using L = std::remove_pointer_t<decltype(lanes)>;
    QueueSlots<L>(source, reducer, multiprocessors, dev_ctx.stream());
  });
}

// The updates as they are.
template <typename T, typename Sum>
struct PlainUpdates {
  __device__ Sum operator()(int, T value) const {
    return static_cast<Sum>(value);
  }
};

// The forward pass; kSum is for means as well. A sum without x starts from
// zero, which turns a lone -0.0 into 0.0. out may be x.
template <typename T, IndexReduce kReduce>
struct ForwardReducer {
  using Element = T;
  using Sum = typename GpuReduceType<T, kReduce>::type;
  static constexpr IndexReduce kCombine = kReduce;

  const T* x;
  T* out;
  bool include_self;
  bool mean;

  template <typename L, typename R>
  __device__ void Start(const L& lanes, int64_t at, R* reduction) const {
    if (!include_self && kReduce != IndexReduce::kSum) return;
    T values[L::kCount] = {};
    if (include_self) lanes.Load(x, lanes.x, at, values);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      reduction->Add(l, static_cast<Sum>(values[l]));
    }
    reduction->any = true;
  }

  template <typename L>
  __device__ PlainUpdates<T, Sum> MapOf(const L&, int64_t) const {
    return {};
  }

  template <typename L>
  __device__ void Finish(const L& lanes,
                         int64_t at,
                         int64_t size,
                         const Sum* sums) const {
    const int64_t count = size + include_self;
    T values[L::kCount];
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      values[l] =
          static_cast<T>(mean ? DivideByCount(sums[l], count) : sums[l]);
    }
    lanes.Store(out, lanes.x, at, values);
  }

  template <typename L>
  __device__ void Skip(const L& lanes, int64_t at) const {
    if (out == x) return;
    T values[L::kCount];
    lanes.Load(x, lanes.x, at, values);
    lanes.Store(out, lanes.x, at, values);
  }
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
