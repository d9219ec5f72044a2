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

// Gradients of the operators that reduce by an index on the GPU. Without
// atomics: the same bits in every run. amax and amin: the forward pass finds
// the extremes, a second one counts the elements that tie for them, and each of
// these gets an even share.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/linear_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/mul_grad.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// T's extremes are compared in the type that T is reduced in.
template <typename T>
__device__ inline int64_t IsExtreme(T value, T extreme) {
  using Sum = typename ReduceType<T, IndexReduce::kAmax>::type;
  return SameValue(static_cast<Sum>(value), static_cast<Sum>(extreme)) ? 1 : 0;
}

// 1 for each update that is its slot's extreme.
template <typename T, int kCount>
struct TiesWith {
  T extremes[kCount];

  __device__ int64_t operator()(int l, T value) const {
    return IsExtreme(value, extremes[l]);
  }
};

// Counts the ties of each slot, then divides its gradient among them.
template <typename T>
struct TiesReducer {
  using Element = T;
  using Sum = int64_t;
  static constexpr IndexReduce kCombine = IndexReduce::kSum;

  const T* x;
  const T* extremes;
  const T* out_grad;
  T* shares;
  T* x_grad;  // may be null
  bool include_self;

  template <typename L, typename R>
  __device__ void Start(const L& lanes, int64_t at, R* reduction) const {
    if (!include_self) return;
    const auto ties = MapOf(lanes, at);
    T values[L::kCount];
    lanes.Load(x, lanes.x, at, values);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) reduction->Add(l, ties(l, values[l]));
    reduction->any = true;
  }

  template <typename L>
  __device__ TiesWith<T, L::kCount> MapOf(const L& lanes, int64_t at) const {
    TiesWith<T, L::kCount> ties;
    lanes.Load(extremes, lanes.x, at, ties.extremes);
    return ties;
  }

  template <typename L>
  __device__ void Finish(const L& lanes,
                         int64_t at,
                         int64_t,
                         const Sum* counts) const {
    using Wide = typename ReduceType<T, IndexReduce::kAmax>::type;
    T values[L::kCount];
    lanes.Load(out_grad, lanes.x, at, values);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      values[l] = static_cast<T>(
          DivideByCount(static_cast<Wide>(values[l]), counts[l]));
    }
    lanes.Store(shares, lanes.x, at, values);
    if (!x_grad) return;
    const auto ties = MapOf(lanes, at);
    T own[L::kCount];
    lanes.Load(x, lanes.x, at, own);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      if (!include_self || !ties(l, own[l])) values[l] = T{};
    }
    lanes.Store(x_grad, lanes.x, at, values);
  }

  template <typename L>
  __device__ void Skip(const L& lanes, int64_t at) const {
    if (!x_grad) return;
    T values[L::kCount];
    lanes.Load(out_grad, lanes.x, at, values);
    lanes.Store(x_grad, lanes.x, at, values);
  }
};

// The gradient of updates, in the order of their memory. Positions behind the
// end of the index have none.
template <typename T>
struct ExtremeUpdatesGrad {
  SlotGroups groups;
  int64_t inner;
  const T* updates;
  const T* extremes;
  const T* shares;
  T* updates_grad;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t item) const {
    const int64_t position = item * inner;
    T values[L::kCount] = {};
    if (item < groups.n) {
      const int64_t at = groups.slots[item] * inner;
      T slot_extremes[L::kCount];
      T slot_shares[L::kCount];
      lanes.Load(updates, lanes.updates, position, values);
      lanes.Load(extremes, lanes.x, at, slot_extremes);
      lanes.Load(shares, lanes.x, at, slot_shares);
#pragma unroll
      for (int l = 0; l < L::kCount; ++l) {
        values[l] =
            IsExtreme(values[l], slot_extremes[l]) ? slot_shares[l] : T{};
      }
    }
    lanes.Store(updates_grad, lanes.updates, position, values);
  }
};

// `groups` are by slot.
template <typename T, IndexReduce kReduce>
void ExtremeGradGpu(const GPUContext& dev_ctx,
                    const SlotGroups& groups,
                    const AxisView& view,
                    bool include_self,
                    const IndexGradTensors<T>& tensors) {
  const int64_t numel = view.outer * view.size * view.inner;
  DenseTensor extremes_memory;
  DenseTensor shares_memory;
  T* extremes = AllocScratch<T>(dev_ctx, numel, &extremes_memory);
  T* shares = AllocScratch<T>(dev_ctx, numel, &shares_memory);
  ReduceSlotsGpu(dev_ctx,
                 groups,
                 view,
                 tensors.updates,
                 ForwardReducer<T, kReduce>{
                     tensors.x, extremes, include_self, /*mean=*/false},
                 {tensors.x, tensors.updates, extremes});
  ReduceSlotsGpu(dev_ctx,
                 groups,
                 view,
                 tensors.updates,
                 TiesReducer<T>{tensors.x,
                                extremes,
                                tensors.out_grad,
                                shares,
                                tensors.x_grad,
                                include_self},
                 {tensors.x,
                  tensors.updates,
                  tensors.out_grad,
                  tensors.x_grad,
                  extremes,
                  shares});
  if (!tensors.updates_grad) return;
  ForEachLane<T>(dev_ctx,
                 view,
                 view.updates_size,
                 {tensors.updates, tensors.updates_grad, extremes, shares},
                 ExtremeUpdatesGrad<T>{groups,
                                       view.inner,
                                       tensors.updates,
                                       extremes,
                                       shares,
                                       tensors.updates_grad});
}

// What a gradient needs to know of the index: sums with x in them give each
// update the gradient of its slot, whatever else the slot has.
inline GroupBy GroupsForGrad(const IndexReduceCall& call) {
  return call.reduce == IndexReduce::kSum && call.include_self ? GroupBy::kNone
                                                               : GroupBy::kSlot;
}

template <typename T, IndexReduce kReduce>
void GradOfReduce(const GPUContext& dev_ctx,
                  const SlotGroups& groups,
                  const AxisView& view,
                  bool include_self,
                  const IndexGradTensors<T>& tensors) {
  if constexpr (IsLinear(kReduce)) {
    LinearGradGpu<T>(dev_ctx, groups, view, kReduce, include_self, tensors);
  } else if constexpr (std::is_integral<T>::value) {
    ThrowNoGradient();
  } else if constexpr (kReduce == IndexReduce::kMul) {
    MulGradGpu<T>(dev_ctx, groups, view, include_self, tensors);
  } else {
    ExtremeGradGpu<T, kReduce>(dev_ctx, groups, view, include_self, tensors);
  }
}

// The gradient kernel of an operator that has the reductions of the set
// `Reduces`. If these are linear, x and updates are not read and x_grad may be
// out_grad.
template <typename T, typename Reduces>
void IndexReduceGradInto(const GPUContext& dev_ctx,
                         const IndexReduceCall& call,
                         const AxisView& view,
                         const T* x,
                         const DenseTensor& index,
                         const T* updates,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  const KeptGrad kept(out_grad);
  const IndexGradTensors<T> tensors{x,
                                    updates,
                                    kept.data<T>(),
                                    AllocOrNull<T>(dev_ctx, x_grad),
                                    AllocOrNull<T>(dev_ctx, updates_grad)};
  const bool empty =
      index.numel() == 0 || view.outer * view.size * view.inner == 0;
  const IndexOnGpu sorted(dev_ctx,
                          call.op,
                          index,
                          view.size,
                          empty ? GroupBy::kNone : GroupsForGrad(call));
  if (empty) {
    CopyOutGradToX(dev_ctx, view, tensors);
    if (updates_grad) AllocZeros<T>(dev_ctx, updates_grad);
    return;
  }
  VisitReduce<T>(Reduces{}, call.reduce, [&](auto constant) {
    GradOfReduce<T, decltype(constant)::value>(
        dev_ctx, sorted.groups(), view, call.include_self, tensors);
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
