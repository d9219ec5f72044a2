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

#include "paddle/phi/kernels/masked_fill_scalar_kernel.h"

#include <cstring>

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/gpu_buffers.cu.h"
#include "paddle/phi/kernels/funcs/masked_fill.cu.h"
#include "paddle/phi/kernels/funcs/scalar_in_range.h"
#include "paddle/phi/kernels/funcs/scatter_op_dtypes.h"

namespace phi {

template <typename T, typename Context>
void MaskedFillScalarKernel(const Context& dev_ctx,
                            const DenseTensor& x,
                            const DenseTensor& mask,
                            const Scalar& value,
                            DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  using Word = typename ops::WordOf<sizeof(T)>::type;
  const T number = ops::ScalarInRange<T>("masked_fill_scalar", "value", value);
  const DDim& dims = out->dims();
  const int64_t numel = out->numel();
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  Word fill;
  std::memcpy(&fill, &number, sizeof(T));
  const auto from_x = ops::OperandAlong<Word>(dims, x);
  Word* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  ops::MaskedFillOneGpu<Word>(
      {numel,
       ops::OperandApart<uint8_t>(
           dev_ctx, dims, mask, out_data, out_bytes, &mask_copy),
       from_x,
       /*value=*/{},
       fill,
       out_data},
      dev_ctx.GetSMCount(),
      dev_ctx.stream());
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_fill_scalar,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedFillScalarKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
