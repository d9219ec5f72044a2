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

#include "paddle/phi/kernels/index_scatter_grad_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/index_reduce_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_op_dtypes.h"
#include "paddle/phi/kernels/index_scatter_kernel.h"

namespace phi {

namespace {

// The tensor in `grad`, or zeros in `zeros`.
template <typename T, typename Context>
const DenseTensor& GradOrZeros(const Context& dev_ctx,
                               const paddle::optional<DenseTensor>& grad,
                               const DDim& dims,
                               DenseTensor* zeros) {
  if (grad) return *grad;
  zeros->Resize(dims);
  funcs::scatter_ops::AllocZeros<T>(dev_ctx, zeros);
  return *zeros;
}

}  // namespace

template <typename T, typename Context>
void IndexScatterGradKernel(const Context& dev_ctx,
                            const DenseTensor& x,
                            const DenseTensor& index,
                            const DenseTensor& updates,
                            const DenseTensor& out_grad,
                            int axis,
                            const std::string& reduce,
                            bool include_self,
                            DenseTensor* x_grad,
                            DenseTensor* updates_grad) {
  namespace ops = funcs::scatter_ops;
  ops::IndexReduceGradInto<T, ops::LinearReduces>(
      dev_ctx,
      {ops::IndexOp::kIndexScatter,
       ops::ParseIndexScatter(reduce),
       axis,
       include_self,
       /*deterministic=*/true},
      ops::AxisView(x.dims(), updates.dims(), axis),
      /*x=*/nullptr,
      index,
      /*updates=*/nullptr,
      out_grad,
      x_grad,
      updates_grad);
}

template <typename T, typename Context>
void IndexScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& index,
    const DenseTensor& updates,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_updates_grad,
    int axis,
    const std::string& reduce,
    bool include_self,
    DenseTensor* grad_out_grad) {
  if (grad_out_grad == nullptr) return;
  DenseTensor x_zeros;
  DenseTensor updates_zeros;
  IndexScatterKernel<T, Context>(
      dev_ctx,
      GradOrZeros<T>(dev_ctx, grad_x_grad, x.dims(), &x_zeros),
      index,
      GradOrZeros<T>(
          dev_ctx, grad_updates_grad, updates.dims(), &updates_zeros),
      axis,
      reduce,
      include_self,
      grad_out_grad);
}

}  // namespace phi

PD_REGISTER_KERNEL(index_scatter_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(index_scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
