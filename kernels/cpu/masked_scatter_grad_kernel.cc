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

#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_fill.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_sum.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi {

template <typename T, typename Context>
void MaskedScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  namespace ops = funcs::scatter_ops;
  using Word = ops::WordOf<T>;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", "x", x.dims(), "mask", mask.dims());
  const int64_t numel = common::product(dims);
  const ops::KeptGrad kept(out_grad);
  ops::SizeGrad(x, x_grad);
  ops::SizeGrad(value, value_grad);
  const bool x_same_shape = x_grad && x_grad->dims() == dims;
  if (x_grad && !x_same_shape) kept.TakeApart(x_grad);
  if (numel == 0) {
    if (x_grad) ops::AllocZeros<T>(dev_ctx, x_grad);
    if (value_grad) ops::AllocZeros<T>(dev_ctx, value_grad);
    return;
  }
  T* x_data = x_grad ? dev_ctx.template Alloc<T>(x_grad) : nullptr;
  T* value_data = value_grad ? dev_ctx.template Alloc<T>(value_grad) : nullptr;

  const ops::MaskView mask_view{ops::MaskBytes(mask), {dims, mask.dims()}};
  ops::WithWorkingMemory("masked_scatter", [&] {
    if (x_same_shape || value_grad) {
      ops::MaskedScatterGradCpu<Word>(
          kept.data<Word>(),
          numel,
          mask_view,
          x_same_shape ? reinterpret_cast<Word*>(x_data) : nullptr,
          reinterpret_cast<Word*>(value_data),
          value_grad ? value_grad->numel() : 0);
    }
    if (x_grad && !x_same_shape) {
      ops::MaskedSum<T>(
          kept.data<T>(), dims, mask_view, /*wanted=*/false, x_grad->dims())
          .Run(x_data);
    }
  });
}

template <typename T, typename Context>
void MaskedScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& mask,
    const DenseTensor& value,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_value_grad,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  using Word = ops::WordOf<T>;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", "x", x.dims(), "mask", mask.dims());
  const int64_t numel = common::product(dims);
  grad_out_grad->Resize(dims);
  Word* out = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(grad_out_grad));
  if (numel == 0) return;

  const ops::MaskView mask_view{ops::MaskBytes(mask), {dims, mask.dims()}};
  const ops::WordView<Word> x_view =
      grad_x_grad
          ? ops::WordView<Word>{static_cast<const Word*>(grad_x_grad->data()),
                                {dims, grad_x_grad->dims()}}
          : ops::ZeroView<Word>(dims);
  if (grad_value_grad && grad_value_grad->numel() > 0) {
    ops::MaskedScatterCpu<Word>(
        out,
        numel,
        x_view,
        mask_view,
        static_cast<const Word*>(grad_value_grad->data()),
        grad_value_grad->numel(),
        /*count_first=*/false);
  } else {
    ops::MaskedFillCpu<Word>(
        out, numel, x_view, mask_view, ops::ZeroView<Word>(dims));
  }
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_scatter_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
