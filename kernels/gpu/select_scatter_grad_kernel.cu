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

#include "paddle/phi/kernels/select_scatter_grad_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_op_dtypes.h"
#include "paddle/phi/kernels/funcs/strided_copy.cu.h"

namespace phi {

template <typename T, typename Context>
void SelectScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& values,
                             const DenseTensor& out_grad,
                             int axis,
                             int64_t index,
                             DenseTensor* x_grad,
                             DenseTensor* values_grad) {
  namespace ops = funcs::scatter_ops;
  ops::ReplaceViewGradGpuKernel<T>(
      dev_ctx,
      out_grad,
      ops::SelectView(out_grad.dims(), values.dims(), axis, index),
      x_grad,
      values_grad);
}

template <typename T, typename Context>
void SelectScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& values,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_values_grad,
    int axis,
    int64_t index,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  ops::ReplaceViewGpuKernel<T>(
      dev_ctx,
      grad_x_grad.get_ptr(),
      grad_values_grad.get_ptr(),
      ops::SelectView(grad_out.dims(), values.dims(), axis, index),
      grad_out_grad);
}

}  // namespace phi

PD_REGISTER_KERNEL(select_scatter_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::SelectScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(select_scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::SelectScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
