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
// The conjugate of a product is the product of the conjugates, to the bit: so
// the factors are taken as they are, and the result is conjugated once.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/forward.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/linear_grad.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

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

// The gradient of the update at each sorted entry; the positions behind the end
// of the index have none.
template <typename T>
struct MulUpdatesGrad {
  using Forward = ForwardReducer<T, IndexReduce::kMul>;
  using Backward = MulXGradReducer<T>;
  using Sum = typename Forward::Sum;

  ReduceSource<T, Sum> source;
  Forward forward;
  Backward backward;
  T* updates_grad;

  template <typename L>
  __device__ void operator()(const L& lanes, int64_t entry) const {
    const SlotGroups& groups = source.groups;
    int64_t position = entry;
    T values[L::kCount] = {};
    if (entry < groups.n) {
      position = groups.order[entry];
      Multiply(lanes, groups[groups.keys[entry]], entry, values);
    }
    lanes.Store(
        updates_grad, lanes.updates, position * source.view.inner, values);
  }

 private:
  template <typename L>
  __device__ void Multiply(const L& lanes,
                           const SlotGroup& group,
                           int64_t entry,
                           T* values) const {
    const int64_t at = group.slot * source.view.inner;
    const PlainUpdates<T, Sum> plain{};
    Reduction<Backward, L::kCount> product;
    backward.Start(lanes, at, &product);
    source.AddRange(lanes, plain, entry + 1, group.end, &product);
    Reduction<Forward, L::kCount> before;
    forward.Start(lanes, at, &before);
    source.AddRange(lanes, plain, group.begin, entry, &before);
#pragma unroll
    for (int l = 0; l < L::kCount; ++l) {
      const Sum all =
          before.any ? MulOf(before.sums[l], product.sums[l]) : product.sums[l];
      values[l] = static_cast<T>(ConjugateOf(all));
    }
  }
};

// `groups` are by slot.
template <typename T>
void MulGradGpu(const GPUContext& dev_ctx,
                const SlotGroups& groups,
                const AxisView& view,
                bool include_self,
                const IndexGradTensors<T>& tensors) {
  if (tensors.x_grad && include_self) {
    ReduceSlotsGpu(dev_ctx,
                   groups,
                   view,
                   tensors.updates,
                   MulXGradReducer<T>{tensors.out_grad, tensors.x_grad},
                   {tensors.updates, tensors.out_grad, tensors.x_grad});
  } else if (tensors.x_grad) {
    IndexGradTensors<T> of_x = tensors;
    of_x.updates_grad = nullptr;
    LinearGradGpu<T>(
        dev_ctx, groups, view, IndexReduce::kAssign, include_self, of_x);
  }
  if (!tensors.updates_grad) return;
  DenseTensor memory;
  const MulUpdatesGrad<T> grad{
      {groups, view, tensors.updates, {dev_ctx, view, groups.n, &memory}},
      {tensors.x, /*out=*/nullptr, include_self, /*mean=*/false},
      {tensors.out_grad, /*x_grad=*/nullptr},
      tensors.updates_grad};
  const auto pointers = {static_cast<const void*>(tensors.x),
                         static_cast<const void*>(tensors.updates),
                         static_cast<const void*>(tensors.out_grad),
                         static_cast<const void*>(tensors.updates_grad)};
  QueuePartialSums(dev_ctx, grad.source, grad.forward, pointers);
  ForEachLane<T>(dev_ctx, view, view.updates_size, pointers, grad);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
