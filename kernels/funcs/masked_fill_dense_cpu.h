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

// masked_fill on DenseTensors: what the scalar and the tensor operator and
// their gradients have in common on the CPU.

#pragma once

#include <cstdint>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/mask_select_cpu.h"
#include "paddle/phi/kernels/funcs/masked_fill_cpu.h"
#include "paddle/phi/kernels/funcs/masked_sum_cpu.h"
#include "paddle/phi/kernels/funcs/scatter_op_buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename Word>
WordView<Word> ViewAlong(const DDim& dims, const DenseTensor& tensor) {
  return {static_cast<const Word*>(tensor.data()), {dims, tensor.dims()}};
}

// One word, read at every place of the output.
template <typename Word>
WordView<Word> ViewOfOne(const DDim& dims, const Word* word) {
  return {word, {dims, common::make_ddim({})}};
}

// out, not empty and with its shape set, = mask ? fill : x. out may share the
// memory of any operand.
template <typename T, typename Context>
void FillDense(const Context& dev_ctx,
               const DenseTensor& x,
               const DenseTensor& mask,
               typename WordOf<sizeof(T)>::type fill,
               DenseTensor* out) {
  using Word = typename WordOf<sizeof(T)>::type;
  const DDim& dims = out->dims();
  const int64_t numel = out->numel();
  const WordView<Word> x_view = ViewAlong<Word>(dims, x);
  Word* out_data = reinterpret_cast<Word*>(AllocOutput<T>(dev_ctx, out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor mask_copy;
  MaskedFillCpu<Word>(
      out_data,
      numel,
      x_view,
      {ReadApart<bool>(dev_ctx, mask, out_data, out_bytes, &mask_copy),
       {dims, mask.dims()}},
      fill);
}

// grad = the elements of out_grad whose mask is `wanted`, zero elsewhere,
// summed to the shape of grad. grad may come in the memory of out_grad.
template <typename T, typename Context>
void MaskedGradDense(const Context& dev_ctx,
                     const DenseTensor& mask,
                     const DenseTensor& out_grad,
                     bool wanted,
                     DenseTensor* grad) {
  using Word = typename WordOf<sizeof(T)>::type;
  const DDim& dims = out_grad.dims();
  const int64_t numel = out_grad.numel();
  if (grad->dims() != dims) TakeOwnMemory(out_grad, grad);
  T* data = AllocOutput<T>(dev_ctx, grad);
  if (numel == 0) {
    ParallelZero(data, grad->numel() * static_cast<int64_t>(sizeof(T)));
    return;
  }
  const MaskView mask_view{mask.data<bool>(), {dims, mask.dims()}};
  if (grad->dims() != dims) {
    MaskedSum<T>(out_grad.data<T>(), dims, mask_view, wanted, grad->dims())
        .Run(data);
    return;
  }
  const Word zero{};
  Word* words = reinterpret_cast<Word*>(data);
  const WordView<Word> taken = ViewAlong<Word>(dims, out_grad);
  if (wanted) {
    MaskSelectCpu<Word>(words, numel, ViewOfOne(dims, &zero), mask_view, taken);
  } else {
    MaskedFillCpu<Word>(words, numel, taken, mask_view, zero);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
