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

namespace phi {
namespace funcs {
namespace scatter_ops {

// Shares are what the elements of a slot get of its gradient. Divide turns the
// gradient of the slot of `group`, which lies at `at`, into the shares of the
// elements at `own_at` of `own`: of x or the updates.

// Those of assign, sum and mean.
template <typename T>
struct LinearShares {
  IndexReduce reduce;
  bool include_self;

  template <int N>
  __device__ void Divide(const SlotGroup& group,
                         int64_t,
                         const T*,
                         int64_t,
                         AlignedVector<T, N>* values) const {
    using Sum = typename ReduceType<T, IndexReduce::kMean>::type;
    if (reduce != IndexReduce::kMean) return;
    Lanes<N>::Each([&](int l) {
      (*values)[l] = static_cast<T>(DivideByCount(
          static_cast<Sum>((*values)[l]), group.size() + include_self));
    });
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
  const uint32_t* counts;  // of the elements that tie

  template <int N>
  __device__ void Divide(const SlotGroup&,
                         int64_t at,
                         const T* own,
                         int64_t own_at,
                         AlignedVector<T, N>* values) const {
    using Wide = typename ReduceType<T, IndexReduce::kAmax>::type;
    AlignedVector<T, N> extreme, element;
    AlignedVector<uint32_t, N> count;
    phi::Load(extremes + at, &extreme);
    phi::Load(counts + at, &count);
    phi::Load(own + own_at, &element);
    Lanes<N>::Each([&](int l) {
      const Wide value = static_cast<Wide>((*values)[l]);
      (*values)[l] = IsExtreme(element[l], extreme[l])
                         ? static_cast<T>(DivideByCount(value, count[l]))
                         : T{};
    });
  }
};

// 1 for each element that is its slot's extreme.
template <typename T, int N = 1>
struct Ties {
  using Out = uint32_t;

  const T* extremes = nullptr;
  AlignedVector<T, N> of_slot = {};

  template <typename L>
  __device__ Ties<T, L::kCount> At(const L& lanes, int64_t at) const {
    Ties<T, L::kCount> ties{extremes};
    phi::Load(extremes + lanes.x + at, &ties.of_slot);
    return ties;
  }
  __device__ uint32_t operator()(int l, T value) const {
    return IsExtreme(value, of_slot[l]) ? 1 : 0;
  }
  __device__ uint32_t OfX(int l, T value) const { return (*this)(l, value); }
};

// The gradient of x. A slot without updates keeps its own.
template <typename T, typename Shares>
struct XGrad {
  SlotGroups groups;
  int64_t inner;
  IndexGradTensors<T> tensors;
  Shares shares;
  bool include_self;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t slot) const {
    const SlotGroup group = groups[slot];
    const bool alone = group.size() == 0;
    if (alone && tensors.x_grad == tensors.out_grad) return;
    const int64_t at = lanes.x + slot * inner;
    AlignedVector<T, L::kCount> values = {};
    if (alone || include_self) phi::Load(tensors.out_grad + at, &values);
    if (!alone && include_self) {
      shares.Divide(group, at, tensors.x, at, &values);
    }
    phi::Store(values, tensors.x_grad + at);
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

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t position) const {
    const int64_t to = lanes.updates + position * inner;
    AlignedVector<T, L::kCount> values = {};
    if (position < groups.n) {
      SlotGroup group{groups.slots[position], 0, 0};
      if (groups.ends != nullptr) group = groups[group.slot];
      if (!last_only || groups.order[group.end - 1] == position) {
        const int64_t at = lanes.x + group.slot * inner;
        phi::Load(tensors.out_grad + at, &values);
        shares.Divide(group, at, tensors.updates, to, &values);
      }
    }
    phi::Store(values, tensors.updates_grad + to);
  }
};

// The conjugates of updates.
template <typename T>
struct ConjugateElement {
  using Out = T;

  template <typename L>
  __device__ ConjugateElement At(const L&, int64_t) const {
    return {};
  }
  __device__ T operator()(int, T value) const { return ConjugateOf(value); }
  __device__ T OfX(int, T value) const { return value; }
};

// The gradient of the update at each sorted entry of a product; the positions
// behind the end of the index have none. A factor gets the product of those
// before it times that of those after it, so that zeros need no special care.
// The conjugate of a product is the product of the conjugates, to the bit: so
// the factors are taken as they are, and the result is conjugated once.
template <typename T>
struct MulUpdatesGrad {
  using Reducer = SlotReducer<T, IndexReduce::kMul>;

  Reducer reducer;  // of the forward pass
  const T* out_grad;
  T* updates_grad;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t entry) const {
    const SlotGroups& groups = reducer.groups;
    const int64_t inner = reducer.view.inner;
    int64_t position = entry;
    AlignedVector<T, L::kCount> values = {};
    if (entry < groups.n) {
      position = groups.order[entry];
      const SlotGroup group = groups[groups.keys[entry]];
      const int64_t at = group.slot * inner;
      phi::Load(out_grad + lanes.x + at, &values);
      typename Reducer::template Result<L> after;
      after.Add([&](int l) { return ConjugateOf(values[l]); });
      reducer.AddRange(lanes, reducer.map, entry + 1, group.end, &after);
      typename Reducer::template Result<L> before;
      reducer.AddX(lanes, reducer.map, at, &before);
      reducer.AddRange(lanes, reducer.map, group.begin, entry, &before);
      L::Each([&](int l) {
        const auto product =
            before.any ? MulOf(before.sums[l], after.sums[l]) : after.sums[l];
        values[l] = static_cast<T>(ConjugateOf(product));
      });
    }
    phi::Store(values, updates_grad + lanes.updates + position * inner);
  }
};

// Queues the gradients that are wanted. `groups` are by slot, but for a sum
// with x in it, which needs none.
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
    ForEachLane<T>(
        dev_ctx,
        view,
        view.size,
        XGrad<T, Shares>{groups, view.inner, tensors, shares, takes_part},
        tensors.x,
        tensors.out_grad,
        tensors.x_grad);
  }

  template <typename Shares>
  void OfUpdates(const Shares& shares, bool last_only) const {
    if (tensors.updates_grad == nullptr) return;
    ForEachLane<T>(
        dev_ctx,
        view,
        view.updates_size,
        UpdatesGrad<T, Shares>{groups, view.inner, tensors, shares, last_only},
        tensors.updates,
        tensors.out_grad,
        tensors.updates_grad);
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
    auto* counts = AllocScratch<uint32_t>(dev_ctx, numel, &counts_memory);
    const T* x = tensors.x;
    const T* updates = tensors.updates;
    ReduceSlotsGpu(dev_ctx,
                   SlotReducer<T, kReduce>{
                       groups, view, x, updates, extremes, include_self});
    SlotReducer<T, IndexReduce::kSum, Ties<T>> count{
        groups, view, x, updates, counts, include_self};
    count.map.extremes = extremes;
    ReduceSlotsGpu(dev_ctx, count);
    const ExtremeShares<T> shares{extremes, counts};
    OfUpdates(shares, /*last_only=*/false);
    OfX(shares, include_self);
  }

  void OfProducts() const {
    if (tensors.x_grad && include_self) {
      // out_grad times all updates.
      ReduceSlotsGpu(
          dev_ctx,
          SlotReducer<T, IndexReduce::kMul, ConjugateElement<T>>{
              groups, view, tensors.out_grad, tensors.updates, tensors.x_grad});
    } else {
      OfX(LinearShares<T>{IndexReduce::kAssign, include_self}, false);
    }
    if (tensors.updates_grad == nullptr) return;
    MulUpdatesGrad<T> grad{
        {groups, view, tensors.x, tensors.updates, nullptr, include_self},
        tensors.out_grad,
        tensors.updates_grad};
    DenseTensor memory;
    QueuePartSums(dev_ctx, &grad.reducer, &memory);
    ForEachLane<T>(dev_ctx,
                   view,
                   view.updates_size,
                   grad,
                   tensors.x,
                   tensors.updates,
                   tensors.out_grad,
                   tensors.updates_grad);
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

// What a gradient needs to know of the index: sums with x in them give each
// update the gradient of its slot, whatever else the slot has.
inline GroupBy GroupsForGrad(const IndexReduceCall& call) {
  return call.reduce == IndexReduce::kSum && call.include_self ? GroupBy::kNone
                                                               : GroupBy::kSlot;
}

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
  const IndexOnGpu sorted(dev_ctx,
                          call.op,
                          index,
                          view.size,
                          empty ? GroupBy::kNone : GroupsForGrad(call));
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

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
