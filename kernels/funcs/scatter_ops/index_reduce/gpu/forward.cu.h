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
#include <type_traits>

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

  void CopyX(GpuStream stream) const {
    if (out == x) return;
    cudaMemcpyAsync(
        out, x, numel * sizeof(T), cudaMemcpyDeviceToDevice, stream);
  }
};

// Each slot gets the update at the last position that points to it.
template <typename Word, typename L>
__global__ void __launch_bounds__(kGpuThreads)
    AssignSlotsGpuKernel(SlotGroups groups,
                         AxisView view,
                         IndexReduceTensors<Word> tensors) {
  const int64_t work = L::Work(view, groups.count);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<L>(view, groups.count, w);
    const SlotGroup group = groups[mine.item];
    const bool empty = group.begin == group.end;
    if (empty && (!groups.by_slot || tensors.x == tensors.out)) continue;
    const L lanes(view, mine.row_block, mine.chunk);
    const int64_t at = group.slot * view.inner;
    Word values[L::kCount];
    if (empty) {
      lanes.Load(tensors.x, lanes.x, at, values);
    } else {
      const int64_t position = groups.order[group.end - 1];
      lanes.Load(tensors.updates, lanes.updates, position * view.inner, values);
    }
    lanes.Store(tensors.out, lanes.x, at, values);
  }
}

template <typename L, typename Word>
void QueueAssign(const SlotGroups& groups,
                 const AxisView& view,
                 const IndexReduceTensors<Word>& tensors,
                 int multiprocessors,
                 GpuStream stream) {
  const int64_t work = L::Work(view, groups.count);
  AssignSlotsGpuKernel<Word, L>
      <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(
          groups, view, tensors);
}

template <typename Word, typename Context>
void AssignGpu(const Context& dev_ctx,
               const SlotGroups& groups,
               const AxisView& view,
               const IndexReduceTensors<Word>& tensors) {
  VisitLanes<Word>(
      view, {tensors.x, tensors.updates, tensors.out}, [&](auto* lanes) {
        using L = std::remove_pointer_t<decltype(lanes)>;
        QueueAssign<L>(
            groups, view, tensors, dev_ctx.GetSMCount(), dev_ctx.stream());
      });
}

// How to number the groups of an index of length `n`. By slot, the pass over
// the groups also copies the slots that nothing points to. By entry, it visits
// only slots that are written: x is copied beforehand, unless out is x. The
// copy pays if most slots are not written.
inline GroupBy GroupsFor(int64_t n, int64_t size, bool in_place) {
  constexpr int64_t kFew = 4;
  return n < (in_place ? size : size / kFew) ? GroupBy::kEntry : GroupBy::kSlot;
}

template <typename T, IndexReduce kReduce, typename Context>
void ReduceGpu(const Context& dev_ctx,
               const IndexReduceCall& call,
               const SlotGroups& groups,
               const AxisView& view,
               const IndexReduceTensors<T>& tensors) {
  if constexpr (kReduce == IndexReduce::kAssign) {
    using Word = typename WordOf<sizeof(T)>::type;
    AssignGpu<Word>(dev_ctx,
                    groups,
                    view,
                    {reinterpret_cast<const Word*>(tensors.x),
                     reinterpret_cast<const Word*>(tensors.updates),
                     reinterpret_cast<Word*>(tensors.out),
                     tensors.numel});
  } else {
    const bool mean = call.reduce == IndexReduce::kMean;
    const ForwardReducer<T, kReduce> reducer{
        tensors.x, tensors.out, call.include_self, mean};
    ReduceSlotsGpu(dev_ctx,
                   groups,
                   view,
                   tensors.updates,
                   reducer,
                   {tensors.x, tensors.updates, tensors.out});
  }
}

template <typename T, IndexReduce kReduce, typename Context>
void ReduceInOrder(const Context& dev_ctx,
                   const IndexReduceCall& call,
                   const DenseTensor& index,
                   const AxisView& view,
                   const IndexReduceTensors<T>& tensors) {
  const GroupBy by =
      GroupsFor(index.numel(), view.size, tensors.x == tensors.out);
  const IndexOnGpu<Context> sorted(dev_ctx, call.op, index, view.size, by);
  if (by == GroupBy::kEntry) tensors.CopyX(dev_ctx.stream());
  ReduceGpu<T, kReduce>(dev_ctx, call, sorted.groups(), view, tensors);
}

template <typename T, IndexReduce kReduce, typename Context>
void ReduceByAtomics(const Context& dev_ctx,
                     const IndexReduceCall& call,
                     const DenseTensor& index,
                     const AxisView& view,
                     const IndexReduceTensors<T>& tensors) {
  const IndexOnGpu<Context> slots(
      dev_ctx, call.op, index, view.size, GroupBy::kNone);
  tensors.CopyX(dev_ctx.stream());
  AtomicReduceGpu<T, kReduce>(
      {slots.groups(), view, tensors.updates, tensors.out},
      call.include_self,
      dev_ctx.GetSMCount(),
      dev_ctx.stream());
}

// There must be an index, and x must have elements.
template <typename T, IndexReduce kGiven, typename Context>
void ReduceOneWay(const Context& dev_ctx,
                  const IndexReduceCall& call,
                  const DenseTensor& index,
                  const AxisView& view,
                  const IndexReduceTensors<T>& tensors) {
  if constexpr (HasAtomics<T, kGiven>()) {
    if (!call.deterministic && AtomicsPay<T>(view)) {
      ReduceByAtomics<T, kGiven>(dev_ctx, call, index, view, tensors);
      return;
    }
  }
  constexpr bool kMean = kGiven == IndexReduce::kMean;
  constexpr IndexReduce kReduce = kMean ? IndexReduce::kSum : kGiven;
  ReduceInOrder<T, kReduce>(dev_ctx, call, index, view, tensors);
}

// The kernel of an operator that has the reductions of the set `Reduces`.
template <typename T, typename Reduces, typename Context>
void IndexReduceInto(const Context& dev_ctx,
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
    IndexOnGpu<Context>(dev_ctx, call.op, index, view.size, GroupBy::kNone);
    return;
  }
  DenseTensor copy;
  const IndexReduceTensors<T> tensors{
      x_data,
      ReadApart<T>(dev_ctx, updates, out_data, numel * sizeof(T), &copy),
      out_data,
      numel};
  if (index.numel() == 0) {
    tensors.CopyX(dev_ctx.stream());
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
