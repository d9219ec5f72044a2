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

#include "paddle/phi/kernels/masked_fill_tensor_grad_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/masked_fill_dense_cpu.h"
#include "paddle/phi/kernels/funcs/scatter_op_dtypes.h"

namespace phi {

template <typename T, typename Context>
void MaskedFillTensorGradKernel(const Context& dev_ctx,
                                const DenseTensor& x,
                                const DenseTensor& mask,
                                const DenseTensor& value,
                                const DenseTensor& out_grad,
                                DenseTensor* x_grad,
                                DenseTensor* value_grad) {
  namespace ops = funcs::scatter_ops;
  if (value_grad != nullptr) {
    ops::MaskedGradDense<T>(
        dev_ctx, mask, out_grad, /*wanted=*/true, value_grad);
  }
  // Last, since it may be written over out_grad.
  if (x_grad != nullptr) {
    ops::MaskedGradDense<T>(dev_ctx, mask, out_grad, /*wanted=*/false, x_grad);
  }
}

template <typename T, typename Context>
void MaskedFillTensorDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& mask,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_value_grad,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  using Word = typename ops::WordOf<sizeof(T)>::type;
  if (grad_out_grad == nullptr) return;
  const DDim& dims = grad_out_grad->dims();
  const int64_t numel = grad_out_grad->numel();
  Word* out =
      reinterpret_cast<Word*>(ops::AllocOutput<T>(dev_ctx, grad_out_grad));
  if (numel == 0) return;

  const Word zero{};
  const auto view = [&](const paddle::optional<DenseTensor>& grad) {
    return grad ? ops::ViewAlong<Word>(dims, *grad)
                : ops::ViewOfOne(dims, &zero);
  };
  const ops::MaskView mask_view{mask.data<bool>(), {dims, mask.dims()}};
  if (grad_value_grad) {
    ops::MaskSelectCpu<Word>(
        out, numel, view(grad_x_grad), mask_view, view(grad_value_grad));
  } else {
    ops::MaskedFillCpu<Word>(out, numel, view(grad_x_grad), mask_view, zero);
  }
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_fill_tensor_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedFillTensorGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_fill_tensor_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedFillTensorDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(0).SetDataType(phi::DataType::BOOL);
}
