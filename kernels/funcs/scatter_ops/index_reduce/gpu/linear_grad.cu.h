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

// Gradients of the reductions that are linear in x and updates, on the GPU.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/lanes.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/grad_tensors.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename T>
void CopyOutGradToX(const GPUContext& dev_ctx,
                    const AxisView& view,
                    const IndexGradTensors<T>& tensors) {
  if (tensors.x_grad == nullptr) return;
  const int64_t numel = view.outer * view.size * view.inner;
  CopyBytes(dev_ctx, tensors.out_grad, numel * sizeof(T), tensors.x_grad);
}

// `groups` are by slot, but for a sum with x in it, which needs none.
template <typename T>
struct LinearGrad {
  SlotGroups groups;
  int64_t inner;
  IndexReduce reduce;
  bool include_self;
  const T* out_grad;
  T* grad;

  // The gradient that each part of a sum or mean over `group` gets.
  __device__ T Share(T value, const SlotGroup& group) const {
    using Sum = typename ReduceType<T, IndexReduce::kMean>::type;
    if (reduce != IndexReduce::kMean) return value;
    return static_cast<T>(
        DivideByCount(static_cast<Sum>(value), group.size() + include_self));
  }
};

// Of x. The group of a slot without updates is empty.
template <typename T>
struct LinearXGrad : LinearGrad<T> {
  template <typename L>
  __device__ void operator()(const L& lanes, int64_t slot) const {
    const SlotGroup group = this->groups[slot];
    const bool alone = group.begin == group.end;
    if (alone && this->grad == this->out_grad) return;
    const bool self =
        this->include_self && this->reduce != IndexReduce::kAssign;
    T values[L::kCount] = {};
    if (alone || self) {
      lanes.Load(this->out_grad, lanes.x, slot * this->inner, values);
    }
    if (!alone && self) {
#pragma unroll
      for (int l = 0; l < L::kCount; ++l) {
        values[l] = this->Share(values[l], group);
      }
    }
    lanes.Store(this->grad, lanes.x, slot * this->inner, values);
  }
};

// Of updates, in the order of their memory. Positions behind the end of the
// index have none.
template <typename T>
struct LinearUpdatesGrad : LinearGrad<T> {
  template <typename L>
  __device__ void operator()(const L& lanes, int64_t position) const {
    T values[L::kCount] = {};
    if (position < this->groups.n) {
      const int64_t slot = this->groups.slots[position];
      SlotGroup group{};
      if (this->reduce != IndexReduce::kSum) group = this->groups[slot];
      if (this->reduce != IndexReduce::kAssign ||
          this->groups.order[group.end - 1] == position) {
        lanes.Load(this->out_grad, lanes.x, slot * this->inner, values);
#pragma unroll
        for (int l = 0; l < L::kCount; ++l) {
          values[l] = this->Share(values[l], group);
        }
      }
    }
    lanes.Store(this->grad, lanes.updates, position * this->inner, values);
  }
};

template <typename T>
void LinearGradGpu(const GPUContext& dev_ctx,
                   const SlotGroups& groups,
                   const AxisView& view,
                   IndexReduce reduce,
                   bool include_self,
                   const IndexGradTensors<T>& tensors) {
  LinearGrad<T> grad{
      groups, view.inner, reduce, include_self, tensors.out_grad, nullptr};
  if (tensors.updates_grad) {
    grad.grad = tensors.updates_grad;
    ForEachLane<T>(dev_ctx,
                   view,
                   view.updates_size,
                   {tensors.out_grad, tensors.updates_grad},
                   LinearUpdatesGrad<T>{grad});
  }
  // Last, since it may be written over out_grad.
  if (reduce == IndexReduce::kSum && include_self) {
    CopyOutGradToX(dev_ctx, view, tensors);
  } else if (tensors.x_grad) {
    grad.grad = tensors.x_grad;
    ForEachLane<T>(dev_ctx,
                   view,
                   view.size,
                   {tensors.out_grad, tensors.x_grad},
                   LinearXGrad<T>{grad});
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
