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

#include "paddle/phi/kernels/masked_fill_scalar_grad_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/masked_fill_dense_cpu.h"
#include "paddle/phi/kernels/funcs/scatter_op_dtypes.h"

namespace phi {

template <typename T, typename Context>
void MaskedFillScalarGradKernel(const Context& dev_ctx,
                                const DenseTensor& x,
                                const DenseTensor& mask,
                                const DenseTensor& out_grad,
                                DenseTensor* x_grad) {
  if (x_grad == nullptr) return;
  funcs::scatter_ops::MaskedGradDense<T>(
      dev_ctx, mask, out_grad, /*wanted=*/false, x_grad);
}

template <typename T, typename Context>
void MaskedFillScalarDoubleGradKernel(const Context& dev_ctx,
                                      const DenseTensor& mask,
                                      const DenseTensor& grad_out,
                                      const DenseTensor& grad_x_grad,
                                      DenseTensor* grad_out_grad) {
  if (grad_out_grad == nullptr) return;
  if (grad_out_grad->numel() == 0) {
    dev_ctx.template Alloc<T>(grad_out_grad);
    return;
  }
  funcs::scatter_ops::FillDense<T>(
      dev_ctx, grad_x_grad, mask, /*fill=*/{}, grad_out_grad);
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_fill_scalar_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedFillScalarGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_fill_scalar_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedFillScalarDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(0).SetDataType(phi::DataType::BOOL);
}
