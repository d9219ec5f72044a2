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

// The forward pass of the operators that reduce by an index, on the GPU: by
// atomics, or in the order of the index.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/atomics.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/reduce_groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// out may be x.
template <typename T>
struct IndexReduceTensors {
  const T* x;
  const T* updates;
  T* out;
  int64_t numel;

  void CopyX(const GPUContext& dev_ctx) const {
    CopyBytes(dev_ctx, x, numel * sizeof(T), out);
  }
};

// The forward pass of a reduction in order; kSum is for means as well. A sum
// without x starts from zero, which turns a lone -0.0 into 0.0.
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

// Each slot gets the update at the last position that points to it.
template <typename T>
struct AssignSlots {
  SlotGroups groups;
  int64_t inner;
  IndexReduceTensors<T> tensors;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t i) const {
    const SlotGroup group = groups[i];
    const bool empty = group.begin == group.end;
    if (empty && (!groups.by_slot || tensors.x == tensors.out)) return;
    const int64_t at = group.slot * inner;
    T values[L::kCount];
    if (empty) {
      lanes.Load(tensors.x, lanes.x, at, values);
    } else {
      const int64_t position = groups.order[group.end - 1];
      lanes.Load(tensors.updates, lanes.updates, position * inner, values);
    }
    lanes.Store(tensors.out, lanes.x, at, values);
  }
};

// How to number the groups of an index of length `n`. By slot, the pass over
// the groups also copies the slots that nothing points to. By entry, it visits
// only slots that are written: x is copied beforehand, unless out is x. The
// copy pays if most slots are not written.
inline GroupBy GroupsFor(int64_t n, int64_t size, bool in_place) {
  constexpr int64_t kFew = 4;
  return n < (in_place ? size : size / kFew) ? GroupBy::kEntry : GroupBy::kSlot;
}

template <typename T, IndexReduce kReduce>
void ReduceInOrder(const GPUContext& dev_ctx,
                   const IndexReduceCall& call,
                   const DenseTensor& index,
                   const AxisView& view,
                   const IndexReduceTensors<T>& tensors) {
  const GroupBy by =
      GroupsFor(index.numel(), view.size, tensors.x == tensors.out);
  const IndexOnGpu sorted(dev_ctx, call.op, index, view.size, by);
  const SlotGroups& groups = sorted.groups();
  if (by == GroupBy::kEntry) tensors.CopyX(dev_ctx);
  const auto pointers = {static_cast<const void*>(tensors.x),
                         static_cast<const void*>(tensors.updates),
                         static_cast<const void*>(tensors.out)};
  if constexpr (kReduce == IndexReduce::kAssign) {
    ForEachLane<T>(dev_ctx,
                   view,
                   groups.count,
                   pointers,
                   AssignSlots<T>{groups, view.inner, tensors});
  } else {
    const bool mean = call.reduce == IndexReduce::kMean;
    ReduceSlotsGpu(dev_ctx,
                   groups,
                   view,
                   tensors.updates,
                   ForwardReducer<T, kReduce>{
                       tensors.x, tensors.out, call.include_self, mean},
                   pointers);
  }
}

// There must be an index, and x must have elements.
template <typename T, IndexReduce kGiven>
void ReduceOneWay(const GPUContext& dev_ctx,
                  const IndexReduceCall& call,
                  const DenseTensor& index,
                  const AxisView& view,
                  const IndexReduceTensors<T>& tensors) {
  if constexpr (HasAtomics<T, kGiven>()) {
    if (AtomicsPay<T>(call, view)) {
      const IndexOnGpu slots(
          dev_ctx, call.op, index, view.size, GroupBy::kNone);
      tensors.CopyX(dev_ctx);
      AtomicReduceGpu<T, kGiven>(dev_ctx,
                                 slots.groups(),
                                 view,
                                 call.include_self,
                                 tensors.updates,
                                 tensors.out);
      return;
    }
  }
  constexpr bool kMean = kGiven == IndexReduce::kMean;
  constexpr IndexReduce kReduce = kMean ? IndexReduce::kSum : kGiven;
  ReduceInOrder<T, kReduce>(dev_ctx, call, index, view, tensors);
}

// The kernel of an operator that has the reductions of the set `Reduces`.
template <typename T, typename Reduces>
void IndexReduceInto(const GPUContext& dev_ctx,
                     const IndexReduceCall& call,
                     const DenseTensor& x,
                     const DenseTensor& index,
                     const DenseTensor& updates,
                     DenseTensor* out) {
  const AxisView view(x.dims(), updates.dims(), call.axis);
  const T* x_data = DataOrNull<T>(x);
  T* out_data = dev_ctx.template Alloc<T>(out);
  const int64_t numel = out->numel();
  if (numel == 0) {
    IndexOnGpu(dev_ctx, call.op, index, view.size, GroupBy::kNone);
    return;
  }
  DenseTensor copy;
  const IndexReduceTensors<T> tensors{
      x_data,
      ReadApart<T>(dev_ctx, updates, out_data, numel * sizeof(T), &copy),
      out_data,
      numel};
  if (index.numel() == 0) {
    tensors.CopyX(dev_ctx);
    return;
  }
  VisitReduce<T>(Reduces{}, call.reduce, [&](auto constant) {
    ReduceOneWay<T, decltype(constant)::value>(
        dev_ctx, call, index, view, tensors);
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
