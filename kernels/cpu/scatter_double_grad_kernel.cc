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

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/scatter.h"
#include "paddle/phi/kernels/impl/index_scatter_kernel_impl.h"

namespace phi {

// With overwrite too, as the gradient of a slot goes to the slice that wins.
template <typename T, typename Context>
void ScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& index,
    const DenseTensor& updates,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_updates_grad,
    bool overwrite,
    DenseTensor* grad_out_grad) {
  if (grad_out_grad == nullptr) return;
  const DDim dims = grad_out.dims();
  DenseTensor x_zeros;
  DenseTensor updates_zeros;
  funcs::scatter_ops::SizeGrad(grad_out, grad_out_grad);
  funcs::scatter_ops::ScatterByIndexKernel<T>(
      dev_ctx,
      IndexScatterGradOrZeros<T>(dev_ctx, grad_x_grad, dims, &x_zeros),
      index,
      IndexScatterGradOrZeros<T>(
          dev_ctx, grad_updates_grad, updates.dims(), &updates_zeros),
      overwrite,
      grad_out_grad);
}

}  // namespace phi

PD_REGISTER_KERNEL(scatter_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::ScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
