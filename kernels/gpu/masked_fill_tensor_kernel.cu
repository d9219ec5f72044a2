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

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/gpu_buffers.cu.h"
#include "paddle/phi/kernels/funcs/masked_fill.cu.h"
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
  const auto from_x = ops::OperandAlong<Word>(dims, x);
  Word* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  DenseTensor value_copy;
  ops::MaskedFillGpu<Word>(
      {numel,
       ops::OperandApart<uint8_t>(
           dev_ctx, dims, mask, out_data, out_bytes, &mask_copy),
       from_x,
       ops::OperandApart<Word>(
           dev_ctx, dims, value, out_data, out_bytes, &value_copy),
       /*fill=*/Word{},
       out_data},
      value.numel(),
      dev_ctx.GetSMCount(),
      dev_ctx.stream());
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_fill_tensor,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedFillTensorKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
