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

// Buffers of the GPU kernels of the masked and scatter operators.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename T, typename Context>
T* AllocZeros(const Context& dev_ctx, DenseTensor* out) {
  T* data = dev_ctx.template Alloc<T>(out);
  if (out->numel() > 0) {
    cudaMemsetAsync(data, 0, out->numel() * sizeof(T), dev_ctx.stream());
  }
  return data;
}

// OperandAlong that stays readable while `bytes` bytes of `out` are written.
template <typename Word, typename Context>
GpuOperand<Word> OperandApart(const Context& dev_ctx,
                              const DDim& dims,
                              const DenseTensor& tensor,
                              const void* out,
                              int64_t bytes,
                              DenseTensor* copy) {
  return {ReadApart<Word>(dev_ctx, tensor, out, bytes, copy),
          OperandView({dims, tensor.dims()})};
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
