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
// atomics: the same bits in every run.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/forward.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/call.h"

namespace phi::funcs::scatter_ops {

// True if the result is linear in x and updates.
constexpr bool IsLinear(IndexReduce reduce) {
  return reduce == IndexReduce::kAssign || reduce == IndexReduce::kSum ||
         reduce == IndexReduce::kMean;
}

// Shares are what the elements of a slot get of its gradient. Divide turns the
// gradient of a slot of `count` positions, which lies at `at`, into the share
// of `own`: an element of x or the updates.

// Those of assign, sum and mean, which do not look at `own`.
template <typename T>
struct LinearShares {
  IndexReduce reduce;
  bool include_self;

  __device__ T Divide(int64_t count, int64_t, const T*, T grad) const {
    using Sum = typename ReduceType<T, IndexReduce::kMean>::type;
    if (reduce != IndexReduce::kMean) return grad;
    return static_cast<T>(
        DivideByCount(static_cast<Sum>(grad), count + include_self));
  }
};

// T's extremes are compared in the type that T is reduced in.
template <typename T>
__device__ inline bool IsExtreme(T value, T extreme) {
  using Sum = typename ReduceType<T, IndexReduce::kAmax>::type;
  return SameValue(static_cast<Sum>(value), static_cast<Sum>(extreme));
}

// Those of amax and amin: even ones for the elements that tie for the extreme.
template <typename T>
struct ExtremeShares {
  const T* extremes;
  const int64_t* counts;  // of the elements that tie

  __device__ T Divide(int64_t, int64_t at, const T* own, T grad) const {
    using Sum = typename ReduceType<T, IndexReduce::kAmax>::type;
    if (!IsExtreme(*own, extremes[at])) return T{};
    return static_cast<T>(DivideByCount(static_cast<Sum>(grad), counts[at]));
  }
};

// 1 for each element that is its slot's extreme.
template <typename T>
struct Ties {
  using Out = int64_t;

  const T* extremes = nullptr;
  T extreme = {};

  __device__ Ties At(int64_t at) const { return {extremes, extremes[at]}; }
  __device__ int64_t operator()(T update) const {
    return IsExtreme(update, extreme) ? 1 : 0;
  }
  __device__ int64_t OfX(T element) const { return (*this)(element); }
};

// The gradient of x. A slot without updates keeps its own.
template <typename T, typename Shares>
struct XGrad {
  SlotGroups groups;
  int64_t inner;
  IndexGradTensors<T> tensors;
  Shares shares;
  bool include_self;

  __device__ void operator()(const Lane& lane, int64_t slot) const {
    const int64_t at = lane.x + slot * inner;
    const int64_t count = groups.count(slot);
    T value{};
    if (count == 0) {
      value = tensors.out_grad[at];
    } else if (include_self) {
      value = shares.Divide(count, at, tensors.x + at, tensors.out_grad[at]);
    }
    tensors.x_grad[at] = value;
  }
};

// The gradient of updates, in the order of their memory. Positions behind the
// end of the index have none.
template <typename T, typename Shares>
struct UpdatesGrad {
  SlotGroups groups;
  int64_t inner;
  IndexGradTensors<T> tensors;
  Shares shares;
  bool last_only;

  __device__ void operator()(const Lane& lane, int64_t position) const {
    const int64_t to = lane.updates + position * inner;
    tensors.updates_grad[to] =
        position < groups.n ? Value(lane, position, to) : T{};
  }

 private:
  __device__ T Value(const Lane& lane, int64_t position, int64_t to) const {
    const int64_t slot = groups.slots[position];
    if (last_only && groups.order[groups.ends[slot] - 1] != position) {
      return T{};
    }
    const int64_t at = lane.x + slot * inner;
    const int64_t count = groups.ends == nullptr ? 0 : groups.count(slot);
    return shares.Divide(count, at, tensors.updates + to, tensors.out_grad[at]);
  }
};

// The conjugates of updates.
template <typename T>
struct ConjugateElement {
  using Out = T;

  __device__ ConjugateElement At(int64_t) const { return {}; }
  __device__ T operator()(T update) const { return ConjugateOf(update); }
  __device__ T OfX(T element) const { return element; }
};

// The gradients of the updates of a product, slot by slot. A factor gets the
// product of those before it times that of those after it and the gradient, so
// that zeros need no special care: one walk keeps the products before, one back
// makes the others. The conjugate of a product is the product of the
// conjugates, to the bit: so the factors are taken as they are, and the result
// is conjugated once.
template <typename T>
struct MulUpdatesGrad {
  using Sum = typename ReduceType<T, IndexReduce::kMul>::type;

  SlotGroups groups;
  AxisView view;
  const T* x;  // null if it is no factor
  const T* updates;
  const T* out_grad;
  Sum* before;  // of each update
  T* updates_grad;

  __device__ void operator()(const Lane& lane, int64_t slot) const {
    const int64_t at = lane.x + slot * view.inner;
    const int64_t begin = groups.begin(slot);
    const int64_t end = groups.ends[slot];
    Sum product =
        x == nullptr ? static_cast<Sum>(1.0f) : static_cast<Sum>(x[at]);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t to = lane.updates + groups.order[i] * view.inner;
      before[to] = product;
      product = MulOf(product, static_cast<Sum>(updates[to]));
    }
    product = ConjugateOf(static_cast<Sum>(out_grad[at]));
    for (int64_t i = end; i-- > begin;) {
      const int64_t to = lane.updates + groups.order[i] * view.inner;
      updates_grad[to] =
          static_cast<T>(ConjugateOf(MulOf(before[to], product)));
      product = MulOf(product, static_cast<Sum>(updates[to]));
    }
  }
};

// Queues the gradients that are wanted. A sum with x in it needs no groups.
template <typename T>
struct IndexGrad {
  const GPUContext& dev_ctx;
  const SlotGroups& groups;
  const AxisView& view;
  bool include_self;
  IndexGradTensors<T> tensors;

  void CopyX() const {
    if (tensors.x_grad == nullptr) return;
    const int64_t numel = view.outer * view.size * view.inner;
    CopyBytes(dev_ctx, tensors.out_grad, numel * sizeof(T), tensors.x_grad);
  }

  template <typename Shares>
  void OfX(const Shares& shares, bool takes_part) const {
    if (tensors.x_grad == nullptr) return;
    ForEachLane(
        dev_ctx,
        view,
        view.size,
        XGrad<T, Shares>{groups, view.inner, tensors, shares, takes_part});
  }

  template <typename Shares>
  void OfUpdates(const Shares& shares, bool last_only) const {
    if (tensors.updates_grad == nullptr) return;
    ForEachLane(
        dev_ctx,
        view,
        view.updates_size,
        UpdatesGrad<T, Shares>{groups, view.inner, tensors, shares, last_only});
  }

  void OfLinear(IndexReduce reduce) const {
    const LinearShares<T> shares{reduce, include_self};
    const bool assigns = reduce == IndexReduce::kAssign;
    OfUpdates(shares, assigns);
    // Last, since it may be written over out_grad.
    if (reduce == IndexReduce::kSum && include_self) {
      CopyX();
    } else {
      OfX(shares, include_self && !assigns);
    }
  }

  // amax and amin: extremes, the number of elements that tie for each, and what
  // these get.
  template <IndexReduce kReduce>
  void OfExtremes() const {
    const int64_t numel = view.outer * view.size * view.inner;
    DenseTensor extremes_memory;
    DenseTensor counts_memory;
    T* extremes = AllocScratch<T>(dev_ctx, numel, &extremes_memory);
    auto* counts = AllocScratch<int64_t>(dev_ctx, numel, &counts_memory);
    const T* x = tensors.x;
    const T* updates = tensors.updates;
    ForEachLane(dev_ctx,
                view,
                view.size,
                SlotReducer<T, kReduce>{
                    groups, view, x, updates, extremes, include_self});
    SlotReducer<T, IndexReduce::kSum, Ties<T>> count{
        groups, view, x, updates, counts, include_self};
    count.map.extremes = extremes;
    ForEachLane(dev_ctx, view, view.size, count);
    const ExtremeShares<T> shares{extremes, counts};
    OfUpdates(shares, /*last_only=*/false);
    OfX(shares, include_self);
  }

  void OfProducts() const {
    if (tensors.x_grad && include_self) {
      // out_grad times all updates.
      ForEachLane(
          dev_ctx,
          view,
          view.size,
          SlotReducer<T, IndexReduce::kMul, ConjugateElement<T>>{
              groups, view, tensors.out_grad, tensors.updates, tensors.x_grad});
    } else {
      OfX(LinearShares<T>{IndexReduce::kAssign, include_self}, false);
    }
    if (tensors.updates_grad == nullptr) return;
    using Sum = typename MulUpdatesGrad<T>::Sum;
    const int64_t numel = view.outer * view.updates_size * view.inner;
    ClearBytes(dev_ctx, tensors.updates_grad, numel * sizeof(T));
    DenseTensor memory;
    ForEachLane(dev_ctx,
                view,
                view.size,
                MulUpdatesGrad<T>{groups,
                                  view,
                                  include_self ? tensors.x : nullptr,
                                  tensors.updates,
                                  tensors.out_grad,
                                  AllocScratch<Sum>(dev_ctx, numel, &memory),
                                  tensors.updates_grad});
  }

  template <IndexReduce kReduce>
  void Of() const {
    if constexpr (IsLinear(kReduce)) {
      OfLinear(kReduce);
    } else if constexpr (std::is_integral<T>::value) {
      ThrowNoGradient();
    } else if constexpr (kReduce == IndexReduce::kMul) {
      OfProducts();
    } else {
      OfExtremes<kReduce>();
    }
  }
};

// The gradient kernel of an operator that has the reductions of the set
// `Reduces`. If these are linear, the elements of x and updates are not read
// and x_grad may be out_grad.
template <typename T, typename Reduces>
void IndexReduceGradInto(const GPUContext& dev_ctx,
                         Reduces reduces,
                         const IndexReduceCall& call,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  constexpr bool kReads = std::is_same<Reduces, OtherReduces>::value;
  const AxisView view(x.dims(), updates.dims(), call.axis);
  const KeptGrad kept(out_grad);
  SizeGrad(x, x_grad);
  SizeGrad(updates, updates_grad);
  const bool empty =
      index.numel() == 0 || view.outer * view.size * view.inner == 0;
  // Each update gets the gradient of its slot, whatever else the slot has.
  const bool lone_sum = call.reduce == IndexReduce::kSum && call.include_self;
  const IndexOnGpu sorted(
      dev_ctx, call.op, index, view.size, !empty && !lone_sum);
  const IndexGrad<T> grad{dev_ctx,
                          sorted.groups(),
                          view,
                          call.include_self,
                          {kReads ? DataOrNull<T>(x) : nullptr,
                           kReads ? DataOrNull<T>(updates) : nullptr,
                           kept.data<T>(),
                           AllocOrNull<T>(dev_ctx, x_grad),
                           AllocOrNull<T>(dev_ctx, updates_grad)}};
  if (empty) {
    grad.CopyX();
    if (updates_grad) AllocZeros<T>(dev_ctx, updates_grad);
    return;
  }
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    grad.template Of<decltype(constant)::value>();
  });
}

}  // namespace phi::funcs::scatter_ops
