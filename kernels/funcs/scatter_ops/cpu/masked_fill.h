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

// masked_fill on the CPU: the loop on raw pointers, instantiated by element
// size, and the kernels of the operator and of its gradient.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi::funcs::scatter_ops {

// out = mask ? value : x, where each operand broadcasts on its own. out may be
// the data of x or of value.
template <typename Word>
void MaskedFillCpu(Word* out,
                   int64_t numel,
                   const WordView<Word>& x,
                   const MaskView& mask,
                   const WordView<Word>& value) {
  const Word* in = out == value.data ? value.data : x.data;
  const Tiles tiles(numel, sizeof(Word));
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    uint8_t mask_scratch[kNearBlock<Word>];
    Word x_scratch[kNearBlock<Word>];
    Word value_scratch[kNearBlock<Word>];
    const bool constant = value.view.is_constant();
    if (constant) std::fill_n(value_scratch, kNearBlock<Word>, *value.data);
    const auto block = [&](Word* to, int64_t b, int64_t n) {
      const Word* kept = x.view.Read(x.data, b, n, x_scratch);
      const uint8_t* m = mask.view.Read(mask.data, b, n, mask_scratch);
      const Word* taken =
          constant ? value_scratch
                   : value.view.Read(value.data, b, n, value_scratch);
      CallVectorised([&] { SelectEach(to, kept, m, taken, n); });
    };
    WriteBlocks(out, in, tiles, i, kNearBlock<Word>, block);
  });
}

// A zero that broadcasts to any shape.
template <typename Word>
WordView<Word> ZeroView(const DDim& dims) {
  static constexpr Word kZero{};
  return {&kZero, {dims, common::make_ddim({})}};
}

// x and mask alone decide the shape of the result: value must not enlarge it.
// That of one element is a number, whatever its dims.
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
  DenseTensor mask_copy;
  DenseTensor value_copy;
  const MaskView mask_view{
      ReadApart<uint8_t>(dev_ctx, mask, out_data, out_bytes, &mask_copy),
      {dims, mask.dims()}};
  // One element is a number, whatever its dims.
  const bool one = value.numel() == 1;
  const WordView<Word> value_view{
      one ? &first
          : ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy),
      {dims, one ? common::make_ddim({}) : value.dims()}};
  MaskedFillCpu<Word>(out_data, numel, x_view, mask_view, value_view);
}

// grad = the elements of out_grad, of shape dims, whose mask is `wanted`, zero
// elsewhere, summed to the shape of grad. grad may come in out_grad's memory.
template <typename T, typename Context>
void MaskedGrad(const Context& dev_ctx,
                const KeptGrad& out_grad,
                const DDim& dims,
                const DenseTensor& mask,
                bool wanted,
                DenseTensor* grad) {
  using Word = WordOf<T>;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  const bool summed = grad->dims() != dims;
  if (summed) out_grad.TakeApart(grad);
  if (numel == 0) {
    AllocZeros<T>(dev_ctx, grad);
    return;
  }
  T* data = dev_ctx.template Alloc<T>(grad);
  const auto mask_view = ViewOf<uint8_t>(mask, dims);
  if (summed) {
    // One element may have more dims than out_grad.
    const DDim target =
        grad->numel() == 1 ? common::make_ddim({}) : grad->dims();
    MaskedSum<T>{out_grad.data<T>(),
                 numel,
                 mask_view,
                 wanted,
                 {dims, target},
                 grad->numel()}
        .Run(data);
    return;
  }
  auto* words = reinterpret_cast<Word*>(data);
  const WordView<Word> taken{out_grad.data<Word>(), {dims, dims}};
  const auto zeros = ZeroView<Word>(dims);
  MaskedFillCpu<Word>(
      words, numel, wanted ? zeros : taken, mask_view, wanted ? taken : zeros);
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
  const KeptGrad kept(out_grad);
  SizeGrad(x, x_grad);
  SizeGrad(value, value_grad);
  // value_grad first, since x_grad may be written over out_grad.
  WithWorkingMemory("masked_fill", [&] {
    MaskedGrad<T>(dev_ctx, kept, dims, mask, /*wanted=*/true, value_grad);
    MaskedGrad<T>(dev_ctx, kept, dims, mask, /*wanted=*/false, x_grad);
  });
}

}  // namespace phi::funcs::scatter_ops
