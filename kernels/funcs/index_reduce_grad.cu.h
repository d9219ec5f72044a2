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

// Gradients of index_reduce on the GPU. Without atomics: the same bits in every
// run.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/index_reduce_extreme_grad.cu.h"
#include "paddle/phi/kernels/funcs/index_reduce_linear_grad.cu.h"
#include "paddle/phi/kernels/funcs/index_reduce_mul_grad.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// What a gradient needs to know of the index: sums with x in them give each
// update the gradient of its slot, whatever else the slot has.
inline GroupBy GroupsForGrad(IndexReduce reduce, bool include_self) {
  return reduce == IndexReduce::kSum && include_self ? GroupBy::kNone
                                                     : GroupBy::kSlot;
}

// There must be an index, and x must have elements.
template <typename T, typename Context>
void IndexReduceGradGpu(const Context& dev_ctx,
                        const DenseTensor& index,
                        const AxisView& view,
                        IndexReduce reduce,
                        bool include_self,
                        const GpuGradTensors<T>& tensors) {
  const IndexOnGpu<Context> sorted(
      dev_ctx, index, view.size, GroupsForGrad(reduce, include_self));
  const SlotGroups& groups = sorted.groups();
  VisitReduce<T>(reduce, [&](auto constant) {
    constexpr IndexReduce kReduce = decltype(constant)::value;
    if constexpr (IsLinear(kReduce)) {
      LinearGradGpu<T>(dev_ctx, groups, view, kReduce, include_self, tensors);
    } else if constexpr (std::is_integral<T>::value) {
      PADDLE_THROW(common::errors::Unimplemented(
          "(index_reduce) mul, amax and amin have gradients for floating point "
          "and complex dtypes only."));
    } else if constexpr (kReduce == IndexReduce::kMul) {
      MulGradGpu<T>(dev_ctx, groups, view, include_self, tensors);
    } else {
      ExtremeGradGpu<T, kReduce>(dev_ctx, groups, view, include_self, tensors);
    }
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
