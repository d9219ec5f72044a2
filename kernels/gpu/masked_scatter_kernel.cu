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
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi {

template <typename T, typename Context>
void MaskedScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  using Word = ops::WordOf<T>;
  const int64_t numel = out->numel();
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const auto from_x = ops::OperandAlong<Word>(out->dims(), x);
  const ops::TruesBefore before(
      dev_ctx, ops::OperandAlong<uint8_t>(out->dims(), mask), numel);
  // Any longer value is long enough, and the host need not wait.
  if (value.numel() < numel) {
    ops::CheckEnoughValues(before.ReadTotal(dev_ctx), value.numel());
  }
  Word* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  DenseTensor value_copy;
  const auto from_mask = ops::OperandApart<uint8_t>(
      dev_ctx, out->dims(), mask, out_data, out_bytes, &mask_copy);
  const Word* values =
      ops::ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy);
  ops::MoveByMask(dev_ctx,
                  from_mask,
                  numel,
                  before,
                  ops::ScatterElement<Word>{from_x, values, out_data});
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
  using Word = ops::WordOf<T>;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
  const int64_t numel = common::product(dims);
  const ops::KeptGrad kept(out_grad);
  ops::SizeGrad(x, x_grad);
  ops::SizeGrad(value, value_grad);
  if (numel == 0) {
    if (x_grad) ops::AllocZeros<T>(dev_ctx, x_grad);
    if (value_grad) ops::AllocZeros<T>(dev_ctx, value_grad);
    return;
  }

  const auto from_mask = ops::OperandAlong<uint8_t>(dims, mask);
  if (value_grad) {
    auto* values =
        reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(value_grad));
    const ops::TruesBefore before(dev_ctx, from_mask, numel);
    const int64_t value_numel = value_grad->numel();
    ops::MoveByMask(
        dev_ctx,
        from_mask,
        numel,
        before,
        ops::GatherElement<Word>{kept.data<Word>(), values, value_numel});
    ops::ForEach(dev_ctx,
                 value_numel,
                 ops::ZeroUnusedValues<Word>{values, before.total()});
  }
  // Last, since it may be written over out_grad.
  ops::MaskedGradInto<T>(dev_ctx, kept, dims, from_mask, x_grad);
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
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
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
    ops::MoveByMask(
        dev_ctx,
        from_mask,
        numel,
        ops::TruesBefore(dev_ctx, from_mask, numel),
        ops::ScatterElement<Word>{
            from_x, static_cast<const Word*>(grad_value_grad->data()), out});
  } else {
    ops::ForEach(dev_ctx, numel, ops::ZeroMasked<Word>{from_mask, from_x, out});
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
