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

// Gradients of a product on the GPU: each factor gets the product of those
// before it times that of those after it, so that zeros need no special care.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/linear_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/reduce_groups.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// The conjugate of a product is the product of the conjugates, to the bit: so
// the factors are taken as they are, and the result is conjugated once.

// The gradient of x where it is a factor: out_grad times all updates.
template <typename T>
struct MulXGradReducer {
  using Element = T;
  using Sum = typename ReduceType<T, IndexReduce::kMul>::type;
  static constexpr IndexReduce kCombine = IndexReduce::kMul;

  const T* out_grad;
  T* x_grad;

  template <typename L, typename R>
  __device__ void Start(const L& lanes, int64_t at, R* reduction) const {
    T values[L::kCount];
    lanes.Load(out_grad, lanes.x, at, values);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      reduction->Add(l, ConjugateOf(static_cast<Sum>(values[l])));
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
                         int64_t,
                         const Sum* products) const {
    T values[L::kCount];
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      values[l] = static_cast<T>(ConjugateOf(products[l]));
    }
    lanes.Store(x_grad, lanes.x, at, values);
  }

  template <typename L>
  __device__ void Skip(const L& lanes, int64_t at) const {
    T values[L::kCount];
    lanes.Load(out_grad, lanes.x, at, values);
    lanes.Store(x_grad, lanes.x, at, values);
  }
};

template <typename T>
struct MulGradArgs {
  ReduceSource<T, typename ReduceType<T, IndexReduce::kMul>::type> source;
  ForwardReducer<T, IndexReduce::kMul> forward;
  MulXGradReducer<T> backward;
  T* updates_grad;
};

// The gradient of the update at sorted entry j of `group`.
template <typename T, typename L>
__device__ inline void MulUpdateGrad(const MulGradArgs<T>& args,
                                     const L& lanes,
                                     const SlotGroup& group,
                                     int64_t j,
                                     T* values) {
  using Forward = ForwardReducer<T, IndexReduce::kMul>;
  using Backward = MulXGradReducer<T>;
  using Sum = typename Forward::Sum;
  const int64_t at = group.slot * args.source.view.inner;
  const PlainUpdates<T, Sum> plain{};
  Reduction<Backward, L::kCount> product;
  args.backward.Start(lanes, at, &product);
  AddRange<Backward>(args.source, lanes, plain, j + 1, group.end, &product);
  Reduction<Forward, L::kCount> before;
  args.forward.Start(lanes, at, &before);
  AddRange<Forward>(args.source, lanes, plain, group.begin, j, &before);
#pragma unroll
  for (int l = 0; l < L::kCount; ++l) {
    const Sum all =
        before.any ? MulOf(before.sums[l], product.sums[l]) : product.sums[l];
    values[l] = static_cast<T>(ConjugateOf(all));
  }
}

// A thread for each sorted entry and its lanes; the rest of the threads clear
// the positions behind the end of the index.
template <typename T, typename L>
__global__ void __launch_bounds__(kGpuThreads, /*min_blocks=*/2)
    MulUpdatesGradGpuKernel(MulGradArgs<T> args) {
  const AxisView& view = args.source.view;
  const SlotGroups& groups = args.source.groups;
  const int64_t work = L::Work(view, view.updates_size);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<L>(view, view.updates_size, w);
    const L lanes(view, mine.row_block, mine.chunk);
    int64_t position = mine.item;
    T values[L::kCount] = {};
    if (mine.item < groups.n) {
      position = groups.order[mine.item];
      MulUpdateGrad(
          args, lanes, groups[groups.keys[mine.item]], mine.item, values);
    }
    lanes.Store(
        args.updates_grad, lanes.updates, position * view.inner, values);
  }
}

template <typename L, typename T>
void QueueMulUpdatesGrad(const MulGradArgs<T>& args,
                         int multiprocessors,
                         GpuStream stream) {
  const AxisView& view = args.source.view;
  QueuePartialSums<L>(args.source, args.forward, multiprocessors, stream);
  const int64_t work = L::Work(view, view.updates_size);
  MulUpdatesGradGpuKernel<T, L>
      <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(args);
}

template <typename T, typename Context>
void MulXGradGpu(const Context& dev_ctx,
                 const SlotGroups& groups,
                 const AxisView& view,
                 bool include_self,
                 const IndexGradTensors<T>& tensors) {
  if (include_self) {
    ReduceSlotsGpu(dev_ctx,
                   groups,
                   view,
                   tensors.updates,
                   MulXGradReducer<T>{tensors.out_grad, tensors.x_grad},
                   {tensors.updates, tensors.out_grad, tensors.x_grad});
  } else {
    LinearXGradGpu<T>(dev_ctx,
                      {groups,
                       view,
                       IndexReduce::kAssign,
                       include_self,
                       tensors.out_grad,
                       tensors.x_grad});
  }
}

// `groups` are by slot.
template <typename T, typename Context>
void MulGradGpu(const Context& dev_ctx,
                const SlotGroups& groups,
                const AxisView& view,
                bool include_self,
                const IndexGradTensors<T>& tensors) {
  using Forward = ForwardReducer<T, IndexReduce::kMul>;
  if (tensors.x_grad) {
    MulXGradGpu(dev_ctx, groups, view, include_self, tensors);
  }
  if (!tensors.updates_grad) return;
  DenseTensor memory;
  const MulGradArgs<T> args{
      {groups,
       view,
       tensors.updates,
       AllocParts<typename Forward::Sum>(dev_ctx, view, groups.n, &memory)},
      {tensors.x, /*out=*/nullptr, include_self, /*mean=*/false},
      {tensors.out_grad, /*x_grad=*/nullptr},
      tensors.updates_grad};
  VisitLanes<T>(
      view,
      {tensors.x, tensors.updates, tensors.out_grad, tensors.updates_grad},
      [&](auto* lanes) {
        using L = std::remove_pointer_t<decltype(lanes)>;
        QueueMulUpdatesGrad<L>(args, dev_ctx.GetSMCount(), dev_ctx.stream());
      });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
