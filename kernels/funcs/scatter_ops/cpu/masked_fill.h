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

// masked_fill on the CPU: the loops on raw pointers, instantiated by element
// size, and the kernels of the operator and of its gradient.

#pragma once

#include <cstdint>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_select_loop.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_tiles.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_sum.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/masked_fill_checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// out = mask ? fill : x, where x and mask broadcast. out may be x.data.
template <typename Word>
void MaskedFillCpu(Word* out,
                   int64_t numel,
                   const WordView<Word>& x,
                   const MaskView& mask,
                   Word fill) {
  const bool flat = x.view.is_flat() && mask.view.is_flat();
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(Word));
  const Tiles tiles(numel, sizeof(Word));
  const Stores kind = StoresInto(out, x.data, bytes);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    const int64_t end = tiles.end(i);
    const TileStores stores(kind);
    uint8_t mask_scratch[kBlock];
    Word x_scratch[kBlock];
    ForEachBlock(begin, end, flat, [&](int64_t b, int64_t e) {
      FillBlock(stores,
                out + b,
                x.view.Read(x.data, b, e - b, x_scratch),
                mask.view.Read(mask.data, b, e - b, mask_scratch),
                fill,
                e - b);
    });
  });
}

// out = mask ? value : x, where each operand broadcasts on its own. out may be
// x.data.
template <typename Word>
void MaskSelectCpu(Word* out,
                   int64_t numel,
                   const WordView<Word>& x,
                   const MaskView& mask,
                   const WordView<Word>& value) {
  const bool flat =
      x.view.is_flat() && mask.view.is_flat() && value.view.is_flat();
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(Word));
  const Tiles tiles(numel, sizeof(Word));
  const Word* in = out == value.data ? value.data : x.data;
  const Stores kind = StoresInto(out, in, bytes);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    const int64_t end = tiles.end(i);
    const TileStores stores(kind);
    uint8_t mask_scratch[kBlock];
    Word x_scratch[kBlock];
    Word value_scratch[kBlock];
    ForEachBlock(begin, end, flat, [&](int64_t b, int64_t e) {
      SelectBlock(stores,
                  out + b,
                  x.view.Read(x.data, b, e - b, x_scratch),
                  mask.view.Read(mask.data, b, e - b, mask_scratch),
                  value.view.Read(value.data, b, e - b, value_scratch),
                  e - b);
    });
  });
}

// out = mask ? value : x. out may share the memory of any operand.
template <typename T, typename Context>
void MaskedFillCpuKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  using Word = typename WordOf<sizeof(T)>::type;
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
  if (value.numel() == 1) {
    MaskedFillCpu<Word>(out_data, numel, x_view, mask_view, first);
    return;
  }
  MaskSelectCpu<Word>(
      out_data,
      numel,
      x_view,
      mask_view,
      {ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy),
       {dims, value.dims()}});
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
  using Word = typename WordOf<sizeof(T)>::type;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  const bool summed = grad->dims() != dims;
  if (summed) out_grad.TakeApart(grad);
  if (numel == 0) {
    AllocZeros<T>(dev_ctx, grad);
    return;
  }
  T* data = dev_ctx.template Alloc<T>(grad);
  const MaskView mask_view{MaskBytes(mask), {dims, mask.dims()}};
  if (summed) {
    // One element may have more dims than out_grad.
    const DDim target =
        grad->numel() == 1 ? common::make_ddim({}) : grad->dims();
    MaskedSum<T>(out_grad.data<T>(), dims, mask_view, wanted, target).Run(data);
    return;
  }
  const Word zero{};
  auto* words = reinterpret_cast<Word*>(data);
  const WordView<Word> taken{out_grad.data<Word>(), {dims, dims}};
  if (wanted) {
    const WordView<Word> zeros{&zero, {dims, common::make_ddim({})}};
    MaskSelectCpu<Word>(words, numel, zeros, mask_view, taken);
  } else {
    MaskedFillCpu<Word>(words, numel, taken, mask_view, zero);
  }
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
  const DDim dims =
      BroadcastShape("masked_fill", "x", x.dims(), "mask", mask.dims());
  const KeptGrad kept(out_grad);
  SizeGrad(x, x_grad);
  SizeGrad(value, value_grad);
  // value_grad first, since x_grad may be written over out_grad.
  WithWorkingMemory("masked_fill", [&] {
    MaskedGrad<T>(dev_ctx, kept, dims, mask, /*wanted=*/true, value_grad);
    MaskedGrad<T>(dev_ctx, kept, dims, mask, /*wanted=*/false, x_grad);
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
