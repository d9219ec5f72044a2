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

// The CPU kernels of masked_fill and its gradient.

#pragma once

#include <cstdint>
#include <optional>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// x and mask alone decide the shape of the result: value must not enlarge it.
// A value of one element is a scalar, whatever its rank.
inline void CheckFillValue(const DDim& out, const DDim& value) {
  if (common::product(value) == 1) return;
  bool fits = value.size() <= out.size();
  for (int i = 1; fits && i <= value.size(); ++i) {
    const int64_t dim = value[value.size() - i];
    fits = dim == 1 || SameDim(dim, out[out.size() - i]);
  }
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(masked_fill) value must broadcast to the shape that x and mask "
        "broadcast to, [%s], but it has shape [%s].",
        out,
        value));
  }
}

// out = mask ? value : x. out may share the memory of any operand.
template <typename T, typename Context>
void MaskedFillCpuKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  using Word = WordOf<T>;
  const DDim dims = out->dims();
  const int64_t numel = out->numel();
  CheckMaskDtype("masked_fill", mask);
  CheckSameDtype("masked_fill", x, "value", value);
  CheckFillValue(dims, value.dims());
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const auto* x_data = reinterpret_cast<const Word*>(x.data<T>());
  const auto* fill = reinterpret_cast<const Word*>(value.data<T>());
  const WordView<Word> x_view{x_data, {dims, x.dims()}};
  const Word first = *fill;
  auto* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::optional<DenseTensor> mask_copy;
  std::optional<DenseTensor> value_copy;
  const MaskView mask_view{
      ReadApart<uint8_t>(dev_ctx, mask, out_data, out_bytes, &mask_copy),
      {dims, mask.dims()}};
  // One element is a number, whatever its dims.
  const bool one = value.numel() == 1;
  const WordView<Word> value_view{
      one ? &first
          : ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy),
      {dims, one ? common::make_ddim({}) : value.dims()}};
  SelectCpu<Word>(out_data, numel, x_view, mask_view, value_view);
}

// Either gradient may be null; x_grad may be out_grad.
template <typename T, typename Context>
void MaskedFillGradCpuKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  const DDim dims = BroadcastShape("masked_fill", x.dims(), mask.dims());
  CheckOutGrad("masked_fill_grad", out_grad, dims, x_grad);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  SizeGrad(x, x_grad);
  SizeGrad(value, value_grad);
  // value_grad first, since x_grad may be written over out_grad.
  MaskedGrad<T>(dev_ctx, dout, dims, mask, /*wanted=*/true, value_grad);
  MaskedGrad<T>(dev_ctx, dout, dims, mask, /*wanted=*/false, x_grad);
}

}  // namespace phi::funcs::scatter_ops
