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

#include "paddle/phi/kernels/masked_scatter_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/masked_scatter.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/masked_zero.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/dtypes.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/masked_scatter_checks.h"
#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"

namespace phi {

template <typename T, typename Context>
void MaskedScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  using Word = typename ops::WordOf<sizeof(T)>::type;
  const int64_t numel = out->numel();
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Any longer value is long enough, and the host need not wait.
  if (value.numel() < numel) {
    const int64_t repeats = numel / mask.numel();  // where it is broadcast
    ops::CheckEnoughValues(ops::CountTruesGpu(dev_ctx, mask) * repeats,
                           value.numel());
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const auto from_x = ops::OperandAlong<Word>(out->dims(), x);
  Word* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  DenseTensor value_copy;
  ops::MaskedScatterGpu<Word, /*kGrad=*/false>(
      dev_ctx,
      {numel,
       ops::OperandApart<uint8_t>(
           dev_ctx, out->dims(), mask, out_data, out_bytes, &mask_copy),
       from_x,
       out_data,
       ops::ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy),
       value.numel()});
}

template <typename T, typename Context>
void MaskedScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  namespace ops = funcs::scatter_ops;
  using Word = typename ops::WordOf<sizeof(T)>::type;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", "x", x.dims(), "mask", mask.dims());
  const int64_t numel = common::product(dims);
  const ops::KeptGrad kept(out_grad);
  ops::SizeGrad(x, x_grad);
  ops::SizeGrad(value, value_grad);
  if (numel == 0) {
    if (x_grad) ops::AllocZeros<T>(dev_ctx, x_grad);
    if (value_grad) ops::AllocZeros<T>(dev_ctx, value_grad);
    return;
  }

  // The pass that gathers value_grad writes x_grad too, if that needs no sum
  // and is not out_grad's memory, which other threads still read.
  T* x_data = nullptr;
  if (value_grad && x_grad && x_grad->numel() == numel) {
    x_data = dev_ctx.template Alloc<T>(x_grad);
    if (x_data == kept.data<T>()) x_data = nullptr;
  }
  if (value_grad) {
    T* value_data = dev_ctx.template Alloc<T>(value_grad);
    ops::MaskedScatterGpu<Word, /*kGrad=*/true>(
        dev_ctx,
        {numel,
         ops::OperandAlong<uint8_t>(dims, mask),
         {kept.data<Word>(), ops::OperandView({dims, dims})},
         reinterpret_cast<Word*>(x_data),
         reinterpret_cast<Word*>(value_data),
         value_grad->numel()});
  }
  if (x_data == nullptr) {
    ops::MaskedGradInto<T>(dev_ctx, kept, dims, mask, x_grad);
  }
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
  using Word = typename ops::WordOf<sizeof(T)>::type;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", "x", x.dims(), "mask", mask.dims());
  const int64_t numel = common::product(dims);
  grad_out_grad->Resize(dims);
  Word* out = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(grad_out_grad));
  if (numel == 0) return;

  const auto from_mask = ops::OperandAlong<uint8_t>(dims, mask);
  DenseTensor zero;
  zero.Resize(common::make_ddim({1}));
  if (!grad_x_grad) ops::AllocZeros<T>(dev_ctx, &zero);
  const auto from_x =
      ops::OperandAlong<Word>(dims, grad_x_grad ? *grad_x_grad : zero);
  if (grad_value_grad && grad_value_grad->numel() > 0) {
    ops::MaskedScatterGpu<Word, /*kGrad=*/false>(
        dev_ctx,
        {numel,
         from_mask,
         from_x,
         out,
         static_cast<const Word*>(grad_value_grad->data()),
         grad_value_grad->numel()});
  } else {
    ops::MaskedZeroGpu<Word>(dev_ctx, {numel, from_mask, from_x, out});
  }
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_scatter,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
