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

#include "paddle/phi/kernels/masked_fill_tensor_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/masked_fill_dense_cpu.h"
#include "paddle/phi/kernels/funcs/scatter_op_dtypes.h"

namespace phi {

template <typename T, typename Context>
void MaskedFillTensorKernel(const Context& dev_ctx,
                            const DenseTensor& x,
                            const DenseTensor& mask,
                            const DenseTensor& value,
                            DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  using Word = typename ops::WordOf<sizeof(T)>::type;
  const DDim& dims = out->dims();
  const int64_t numel = out->numel();
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  if (value.numel() == 1) {
    const Word fill = *static_cast<const Word*>(value.data());
    ops::FillDense<T>(dev_ctx, x, mask, fill, out);
    return;
  }
  const ops::WordView<Word> x_view = ops::ViewAlong<Word>(dims, x);
  Word* out_data = reinterpret_cast<Word*>(ops::AllocOutput<T>(dev_ctx, out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  DenseTensor value_copy;
  ops::MaskSelectCpu<Word>(
      out_data,
      numel,
      x_view,
      {ops::ReadApart<bool>(dev_ctx, mask, out_data, out_bytes, &mask_copy),
       {dims, mask.dims()}},
      {ops::ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy),
       {dims, value.dims()}});
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_fill_tensor,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedFillTensorKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
