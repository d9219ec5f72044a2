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

// The GPU kernels of scatter and its gradient. Always in the order of the
// index: the same bits in every run.

#pragma once

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/meta_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/forward.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/grad.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Slices of x along axis 0 are replaced by those of updates, or by their sum.
inline IndexReduceCall ScatterCall(bool overwrite) {
  return {IndexOp::kScatter,
          overwrite ? IndexReduce::kAssign : IndexReduce::kSum,
          /*axis=*/0,
          /*include_self=*/false,
          /*deterministic=*/true};
}

template <typename T, typename Context>
void ScatterGpuKernel(const Context& dev_ctx,
                      const DenseTensor& x,
                      const DenseTensor& index,
                      const DenseTensor& updates,
                      bool overwrite,
                      DenseTensor* out) {
  const IndexReduceCall call = ScatterCall(overwrite);
  if (HasNothingToScatter(x, index, updates)) {
    T* data = dev_ctx.template Alloc<T>(out);
    CopyBytes(dev_ctx, DataOrNull<T>(x), x.numel() * sizeof(T), data);
    return;
  }
  CheckIndexReduce(NameOf(call.op),
                   call.reduce,
                   overwrite ? "assign" : "sum",
                   MetaTensor(x),
                   MetaTensor(index),
                   MetaTensor(updates),
                   call.axis);
  IndexReduceInto<T, PlainReduces>(dev_ctx, call, x, index, updates, out);
}

// Each update gets the gradient of its slot, even one that was overwritten.
// x_grad may be out_grad.
template <typename T, typename Context>
void ScatterGradGpuKernel(const Context& dev_ctx,
                          const DenseTensor& index,
                          const DenseTensor& updates,
                          const DenseTensor& out_grad,
                          bool /*overwrite*/,
                          DenseTensor* x_grad,
                          DenseTensor* updates_grad) {
  if (HasNothingToScatter(out_grad, index, updates)) {
    const KeptGrad kept(out_grad);
    const int64_t bytes = out_grad.numel() * sizeof(T);
    T* x_data = AllocOrNull<T>(dev_ctx, x_grad);
    if (x_grad) CopyBytes(dev_ctx, kept.data<T>(), bytes, x_data);
    if (updates_grad) AllocZeros<T>(dev_ctx, updates_grad);
    return;
  }
  IndexReduceGradInto<T, ReduceSet<IndexReduce::kSum>>(
      dev_ctx,
      ScatterCall(/*overwrite=*/false),
      /*x=*/out_grad,
      index,
      updates,
      out_grad,
      x_grad,
      updates_grad);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
