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

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/buffers.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/extreme_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/linear_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/mul_grad.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// What a gradient needs to know of the index: sums with x in them give each
// update the gradient of its slot, whatever else the slot has.
inline GroupBy GroupsForGrad(const IndexReduceCall& call) {
  return call.reduce == IndexReduce::kSum && call.include_self ? GroupBy::kNone
                                                               : GroupBy::kSlot;
}

template <typename T, IndexReduce kReduce, typename Context>
void GradOfReduce(const Context& dev_ctx,
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

template <typename T, typename Context>
T* AllocOrNull(const Context& dev_ctx, DenseTensor* tensor) {
  return tensor ? dev_ctx.template Alloc<T>(tensor) : nullptr;
}

// The gradient kernel of an operator that has the reductions of the set
// `Reduces`. If these are linear, x and updates are not read and x_grad may be
// out_grad.
template <typename T, typename Reduces, typename Context>
void IndexReduceGradInto(const Context& dev_ctx,
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
  const int64_t numel = view.outer * view.size * view.inner;
  const bool empty = index.numel() == 0 || numel == 0;
  const IndexOnGpu<Context> sorted(
      dev_ctx,
      call.op,
      index,
      view.size,
      empty ? GroupBy::kNone : GroupsForGrad(call));
  if (empty) {
    if (numel > 0) CopyOutGradToX(tensors, view, dev_ctx.stream());
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
