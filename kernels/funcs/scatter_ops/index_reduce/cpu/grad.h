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

// Gradients of index_reduce on the CPU, on raw pointers: the same walk and the
// same guarantees as the forward pass.

#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/group_grads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Zeros for the updates behind the end of the index.
template <typename T>
void ClearUnusedUpdates(const AxisView& view, int64_t n, T* updates_grad) {
  const int64_t row = view.updates_size * view.inner;
  const int64_t used = n * view.inner;
  if (row == used) return;
  const int64_t bytes = (row - used) * static_cast<int64_t>(sizeof(T));
  ParallelFor(view.outer, view.outer * bytes, [&](int64_t o) {
    std::memset(static_cast<void*>(updates_grad + o * row + used), 0, bytes);
  });
}

template <typename T, typename Context>
T* AllocOrNull(const Context& dev_ctx, DenseTensor* tensor) {
  return tensor ? dev_ctx.template Alloc<T>(tensor) : nullptr;
}

// The gradient kernel of an operator that is not linear. Either output may be
// null.
template <typename T, typename Context>
void IndexReduceGradInto(const Context& dev_ctx,
                         OtherReduces reduces,
                         const IndexReduceCall& call,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  const char* op = NameOf(call.op);
  WithWorkingMemory(op, [&] {
    const AxisView view(x.dims(), updates.dims(), call.axis);
    const IndexGroups groups = GroupIndex(op, index, view.size);
    SizeGrad(x, x_grad);
    SizeGrad(updates, updates_grad);
    const IndexGradTensors<T> tensors{DataOrNull<T>(x),
                                      DataOrNull<T>(updates),
                                      DataOrNull<T>(out_grad),
                                      AllocOrNull<T>(dev_ctx, x_grad),
                                      AllocOrNull<T>(dev_ctx, updates_grad)};
    VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
      constexpr IndexReduce kReduce = decltype(constant)::value;
      if constexpr (std::is_integral<T>::value) {
        ThrowNoGradient();
      } else {
        IndexReduceDifferentiator<T, kReduce>(
            view, groups, call.include_self, tensors)
            .Run();
      }
    });
    if (tensors.updates_grad) {
      ClearUnusedUpdates(view, groups.positions(), tensors.updates_grad);
    }
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
