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

// The GPU kernels of masked_fill and its gradient.

#pragma once

#include <cstdint>

#include "paddle/phi/core/meta_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/masked_fill.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/masked_fill_checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// out = mask ? value : x. out may share the memory of any operand.
template <typename T, typename Context>
void MaskedFillGpuKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  using Word = typename WordOf<sizeof(T)>::type;
  const DDim dims = out->dims();
  const int64_t numel = out->numel();
  CheckMaskDtype("masked_fill", MetaTensor(mask));
  CheckSameDtype("masked_fill", MetaTensor(x), "value", MetaTensor(value));
  CheckFillValue(dims, value.dims());
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const auto from_x = OperandAlong<Word>(dims, x);
  Word* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  DenseTensor value_copy;
  MaskedFillGpu<Word>(
      dev_ctx,
      {numel,
       OperandApart<uint8_t>(
           dev_ctx, dims, mask, out_data, out_bytes, &mask_copy),
       from_x,
       OperandApart<Word>(
           dev_ctx, dims, value, out_data, out_bytes, &value_copy),
       out_data},
      /*one_value=*/value.numel() == 1);
}

// Either gradient may be null; x_grad may be out_grad.
template <typename T, typename Context>
void MaskedFillGradGpuKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  const DDim dims =
      BroadcastShape("masked_fill", "x", x.dims(), "mask", mask.dims());
  const KeptGrad kept(out_grad);
  // An old static graph gives it the shape of mask.
  if (value_grad) value_grad->Resize(value.dims());
  // value_grad first, since x_grad may be written over out_grad.
  MaskedGradInto<T>(dev_ctx, kept, dims, mask, /*wanted=*/true, value_grad);
  MaskedGradInto<T>(dev_ctx, kept, dims, mask, /*wanted=*/false, x_grad);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
