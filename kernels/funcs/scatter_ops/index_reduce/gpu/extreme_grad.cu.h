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

// Gradients of amax and amin on the GPU: the forward pass finds the extremes, a
// second one counts the elements that tie for them, and each of these gets an
// even share.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/linear_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/reduce_groups.cu.h"

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
    for (int l = 0; l < L::kCount; ++l) {
      reduction->Add(l, ties(l, values[l]));
    }
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
    if (x_grad) FinishX(lanes, at, values);
  }

  template <typename L>
  __device__ void Skip(const L& lanes, int64_t at) const {
    if (!x_grad) return;
    T values[L::kCount];
    lanes.Load(out_grad, lanes.x, at, values);
    lanes.Store(x_grad, lanes.x, at, values);
  }

 private:
  template <typename L>
  __device__ void FinishX(const L& lanes, int64_t at, T* values) const {
    const auto ties = MapOf(lanes, at);
    T own[L::kCount];
    lanes.Load(x, lanes.x, at, own);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      if (!include_self || !ties(l, own[l])) values[l] = T{};
    }
    lanes.Store(x_grad, lanes.x, at, values);
  }
};

template <typename T>
struct ExtremeGradArgs {
  SlotGroups groups;
  AxisView view;
  const T* updates;
  const T* extremes;
  const T* shares;
  T* updates_grad;
};

// The gradient of updates, in the order of their memory. Positions behind the
// end of the index have none.
template <typename T, typename L>
__global__ void __launch_bounds__(kGpuThreads)
    ExtremeUpdatesGradGpuKernel(ExtremeGradArgs<T> args) {
  const int64_t work = L::Work(args.view, args.view.updates_size);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<L>(args.view, args.view.updates_size, w);
    const L lanes(args.view, mine.row_block, mine.chunk);
    const int64_t position = mine.item * args.view.inner;
    T values[L::kCount] = {};
    if (mine.item < args.groups.n) {
      const int64_t at = args.groups.slots[mine.item] * args.view.inner;
      T shares[L::kCount];
      T extremes[L::kCount];
      lanes.Load(args.updates, lanes.updates, position, values);
      lanes.Load(args.extremes, lanes.x, at, extremes);
      lanes.Load(args.shares, lanes.x, at, shares);
#pragma unroll
      for (int l = 0; l < L::kCount; ++l) {
        values[l] = IsExtreme(values[l], extremes[l]) ? shares[l] : T{};
      }
    }
    lanes.Store(args.updates_grad, lanes.updates, position, values);
  }
}

template <typename L, typename T>
void QueueExtremeUpdatesGrad(const ExtremeGradArgs<T>& args,
                             int multiprocessors,
                             GpuStream stream) {
  const int64_t work = L::Work(args.view, args.view.updates_size);
  ExtremeUpdatesGradGpuKernel<T, L>
      <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(args);
}

// `groups` are by slot.
template <typename T, IndexReduce kReduce, typename Context>
void ExtremeGradGpu(const Context& dev_ctx,
                    const SlotGroups& groups,
                    const AxisView& view,
                    bool include_self,
                    const IndexGradTensors<T>& tensors) {
  DenseTensor memory;
  const int64_t numel = view.outer * view.size * view.inner;
  // Whole packs, so that the second half is as aligned as the first one.
  const int64_t padded =
      (numel + PackSize<T>() - 1) / PackSize<T>() * PackSize<T>();
  memory.Resize(common::make_ddim({2 * padded}));
  T* extremes = dev_ctx.template Alloc<T>(&memory);
  T* shares = extremes + padded;

  const ForwardReducer<T, kReduce> find{
      tensors.x, extremes, include_self, /*mean=*/false};
  ReduceSlotsGpu(dev_ctx,
                 groups,
                 view,
                 tensors.updates,
                 find,
                 {tensors.x, tensors.updates});
  const TiesReducer<T> count{tensors.x,
                             extremes,
                             tensors.out_grad,
                             shares,
                             tensors.x_grad,
                             include_self};
  ReduceSlotsGpu(
      dev_ctx,
      groups,
      view,
      tensors.updates,
      count,
      {tensors.x, tensors.updates, tensors.out_grad, tensors.x_grad});

  if (!tensors.updates_grad) return;
  const ExtremeGradArgs<T> args{
      groups, view, tensors.updates, extremes, shares, tensors.updates_grad};
  VisitLanes<T>(
      view, {tensors.updates, tensors.updates_grad}, [&](auto* lanes) {
        using L = std::remove_pointer_t<decltype(lanes)>;
        QueueExtremeUpdatesGrad<L>(
            args, dev_ctx.GetSMCount(), dev_ctx.stream());
      });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
