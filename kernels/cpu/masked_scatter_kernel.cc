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

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/masked_scatter_checks.h"
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
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const void* x_data = numel == 0 ? nullptr : x.data();
  Word* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  if (numel == 0) return;

  const bool inplace = x_data == out_data;
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  DenseTensor value_copy;
  const int64_t value_numel = value.numel();
  const int64_t wanted = ops::MaskedScatterCpu<Word>(
      out_data,
      numel,
      {static_cast<const Word*>(x_data), {out->dims(), x.dims()}},
      {ops::ReadApart<uint8_t>(dev_ctx, mask, out_data, out_bytes, &mask_copy),
       {out->dims(), mask.dims()}},
      ops::ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy),
      value_numel,
      /*count_first=*/inplace);
  ops::CheckEnoughValues(wanted, value_numel);
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_scatter,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
