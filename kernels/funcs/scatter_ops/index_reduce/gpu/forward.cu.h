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
// atomics where rows are so short that sorting the index would cost more than
// the reduction itself and the atomics are fast, else in the order of the
// index.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "paddle/common/flags.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/reduce_groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

COMMON_DECLARE_bool(cudnn_deterministic);

namespace phi {
namespace funcs {
namespace scatter_ops {

// The operands; out may be x.
template <typename T>
struct IndexReduceTensors {
  const DenseTensor& index;
  const AxisView& view;
  const T* x;
  const T* updates;
  T* out;
  int64_t bytes;  // of x

  void CopyX(const GPUContext& dev_ctx) const {
    CopyBytes(dev_ctx, x, bytes, out);
  }
};

// Reading the index, sorting it and going through it in order moves about this
// many bytes for each position.
constexpr int64_t kSortBytes = 128;

template <typename T, IndexReduce kReduce>
constexpr bool HasAtomics() {
  return (kReduce == IndexReduce::kSum || kReduce == IndexReduce::kAmax ||
          kReduce == IndexReduce::kAmin) &&
         (std::is_same<T, float>::value || std::is_same<T, double>::value ||
          std::is_same<T, int32_t>::value || std::is_same<T, int64_t>::value);
}

// Whether atomics are allowed, and faster than sorting. The order of integers
// does not change a bit of the result. Not along the last of several axes: the
// rows share the sorted order, in which a thread reads neighbours.
template <typename T>
bool AtomicsPay(const AxisView& view) {
  const bool any_order =
      std::is_integral<T>::value || !FLAGS_cudnn_deterministic;
  return any_order && (view.inner > 1 || view.outer == 1) &&
         view.outer * view.inner * static_cast<int64_t>(sizeof(T)) <=
             kSortBytes;
}

// Paddle's atomics lose a NaN. Compares bits, in which a NaN is equal to
// itself: the loop ends for NaN too.
template <IndexReduce kReduce, typename T>
__device__ inline void CombineBySwapping(T* target, T value) {
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  Word* words = reinterpret_cast<Word*>(target);
  Word seen = *reinterpret_cast<volatile Word*>(words);
  while (true) {
    T old;
    std::memcpy(&old, &seen, sizeof(T));
    const T combined = Combine<kReduce>(old, value);
    Word wanted;
    std::memcpy(&wanted, &combined, sizeof(T));
    if (wanted == seen) return;
    const Word found = atomicCAS(words, seen, wanted);
    if (found == seen) return;
    seen = found;
  }
}

// Without include_self, the slots that the index points to first get the
// identity of the reduction instead of x: clear.
template <typename T, IndexReduce kReduce>
struct AtomicReduce {
  SlotGroups groups;
  AxisView view;
  const T* updates;
  T* out;
  bool clear;

  __device__ void operator()(const Lanes<1>& lane, int64_t position) const {
    T* target = out + lane.x + groups.slots[position] * view.inner;
    if (clear) {
      *target = IdentityOf<T, kReduce>();
      return;
    }
    const T value = updates[lane.updates + position * view.inner];
    if constexpr (kReduce == IndexReduce::kSum) {
      CudaAtomicAdd(target, value);
    } else if constexpr (!std::is_integral<T>::value) {
      CombineBySwapping<kReduce>(target, value);
    } else if constexpr (kReduce == IndexReduce::kAmax) {
      CudaAtomicMax(target, value);
    } else {
      CudaAtomicMin(target, value);
    }
  }
};

template <typename T, IndexReduce kReduce>
void AtomicReduceGpu(const GPUContext& dev_ctx,
                     const IndexReduceCall& call,
                     const IndexReduceTensors<T>& tensors) {
  const AxisView& view = tensors.view;
  const IndexOnGpu slots(
      dev_ctx, call.op, tensors.index, view.size, GroupBy::kNone);
  tensors.CopyX(dev_ctx);
  for (const bool clear : {true, false}) {
    if (clear && call.include_self) continue;
    QueueEachLane<1>(
        dev_ctx,
        view,
        slots.groups().n,
        AtomicReduce<T, kReduce>{
            slots.groups(), view, tensors.updates, tensors.out, clear});
  }
}

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
                   const IndexReduceTensors<T>& tensors) {
  const AxisView& view = tensors.view;
  const GroupBy by =
      GroupsFor(tensors.index.numel(), view.size, tensors.x == tensors.out);
  const IndexOnGpu sorted(dev_ctx, call.op, tensors.index, view.size, by);
  if (by == GroupBy::kEntry) tensors.CopyX(dev_ctx);
  ReduceSlotsGpu(dev_ctx,
                 SlotReducer<T, kReduce>{sorted.groups(),
                                         view,
                                         tensors.x,
                                         tensors.updates,
                                         tensors.out,
                                         call.include_self,
                                         call.reduce == IndexReduce::kMean});
}

// There must be an index, and x must have elements.
template <typename T, IndexReduce kGiven>
void ReduceOneWay(const GPUContext& dev_ctx,
                  const IndexReduceCall& call,
                  const IndexReduceTensors<T>& tensors) {
  if constexpr (HasAtomics<T, kGiven>()) {
    if (AtomicsPay<T>(tensors.view)) {
      AtomicReduceGpu<T, kGiven>(dev_ctx, call, tensors);
      return;
    }
  }
  constexpr bool kMean = kGiven == IndexReduce::kMean;
  ReduceInOrder<T, kMean ? IndexReduce::kSum : kGiven>(dev_ctx, call, tensors);
}

// The kernel of an operator that has the reductions of the set `Reduces`.
template <typename T, typename Reduces>
void IndexReduceInto(const GPUContext& dev_ctx,
                     Reduces reduces,
                     const IndexReduceCall& call,
                     const DenseTensor& x,
                     const DenseTensor& index,
                     const DenseTensor& updates,
                     DenseTensor* out) {
  const AxisView view(x.dims(), updates.dims(), call.axis);
  const T* x_data = DataOrNull<T>(x);
  T* out_data = dev_ctx.template Alloc<T>(out);
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  if (bytes == 0) {
    IndexOnGpu(dev_ctx, call.op, index, view.size, GroupBy::kNone);
    return;
  }
  DenseTensor copy;
  const IndexReduceTensors<T> tensors{
      index,
      view,
      x_data,
      ReadApart<T>(dev_ctx, updates, out_data, bytes, &copy),
      out_data,
      bytes};
  if (index.numel() == 0) {
    tensors.CopyX(dev_ctx);
    return;
  }
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    ReduceOneWay<T, decltype(constant)::value>(dev_ctx, call, tensors);
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
