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

// The CPU kernels of scatter and its gradient: the reductions along axis 0.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/forward.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/linear_grad.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/dtypes.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// to = the elements at `from`, which may be those of `to`.
template <typename T, typename Context>
void CopyInto(const Context& dev_ctx, const T* from, DenseTensor* to) {
  T* data = AllocOutput<T>(dev_ctx, to);
  ParallelCopy(data, from, to->numel() * static_cast<int64_t>(sizeof(T)));
}

template <typename T, typename Context>
void ScatterCpuKernel(const Context& dev_ctx,
                      const DenseTensor& x,
                      const DenseTensor& index,
                      const DenseTensor& updates,
                      bool overwrite,
                      DenseTensor* out) {
  const IndexReduce reduce =
      overwrite ? IndexReduce::kAssign : IndexReduce::kSum;
  if (HasNothingToScatter(x, index, updates)) {
    CopyInto(dev_ctx, DataOrNull<T>(x), out);
    return;
  }
  // Beyond what the InferMeta of the operator asks.
  CheckIndexReduce("scatter",
                   reduce,
                   overwrite ? "assign" : "sum",
                   x,
                   index,
                   updates,
                   /*axis=*/0);
  IndexReduceCpu<T, PlainReduces>(dev_ctx,
                                  "scatter",
                                  x,
                                  index,
                                  updates,
                                  /*axis=*/0,
                                  reduce,
                                  /*include_self=*/false,
                                  out);
}

// With overwrite too, each update gets the gradient of its slot, the ones that
// a later update replaced included.
template <typename T, typename Context>
void ScatterGradCpuKernel(const Context& dev_ctx,
                          const DenseTensor& index,
                          const DenseTensor& updates,
                          const DenseTensor& out_grad,
                          bool overwrite,
                          DenseTensor* x_grad,
                          DenseTensor* updates_grad) {
  if (HasNothingToScatter(out_grad, index, updates)) {
    const KeptGrad kept(out_grad);
    if (x_grad) CopyInto(dev_ctx, kept.data<T>(), x_grad);
    if (updates_grad) AllocZeros<T>(dev_ctx, updates_grad);
    return;
  }
  LinearIndexGradCpu<T>(dev_ctx,
                        "scatter",
                        out_grad.dims(),
                        index,
                        updates.dims(),
                        out_grad,
                        /*axis=*/0,
                        IndexReduce::kSum,
                        /*include_self=*/false,
                        x_grad,
                        updates_grad);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
