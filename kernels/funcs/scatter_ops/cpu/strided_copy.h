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

// Copy a tensor with a strided part of it replaced, and read such a part: all
// that select_scatter, diagonal_scatter and their gradients do.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

template <typename Word>
void CopyStrided(Word* out,
                 int64_t out_stride,
                 const Word* in,
                 int64_t in_stride,
                 int64_t n) {
  if (out_stride == 1 && in_stride == 0) {
    std::fill_n(out, n, *in);
  } else if (out_stride == 1 && in_stride == 1 && n >= 16) {
    std::memcpy(out, in, n * sizeof(Word));
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * out_stride] = in[i * in_stride];
  }
}

// out = x with the elements of `view` replaced by `values`. Null x or values
// are zeros; out may be x.
template <typename Word>
void CopyAndReplace(Word* out,
                    int64_t numel,
                    const Word* x,
                    const StridedView& view,
                    const Word* values) {
  static constexpr Word kZero{};
  // Replaced elements are written while their block is in a near cache.
  constexpr int64_t kElements = (256 << 10) / sizeof(Word);
  const int64_t written = out == x ? view.numel() : numel;
  const Tiles tiles(numel, sizeof(Word));
  const bool streams = UseNonTemporalStores(tiles.bytes, out == x);
  const auto make_block = [&](Word* to, int64_t b, int64_t n) {
    if (x == nullptr) {
      std::memset(static_cast<void*>(to), 0, n * sizeof(Word));
    } else if (to != x + b) {
      std::memcpy(to, x + b, n * sizeof(Word));
    }
    view.ForEachRun(
        b,
        b + n,
        [&](int64_t at, int64_t stride, int64_t from, int64_t step, int64_t m) {
          const Word* in = values ? values + from : &kZero;
          CopyStrided(to + (at - b), stride, in, values ? step : 0, m);
        });
  };
  ParallelFor(tiles.count, written * sizeof(Word), [&](int64_t i) {
    ForEachBlock(
        out, tiles.begin(i), tiles.end(i), kElements, streams, make_block);
  });
}

// values = the elements of `view` in x, which has `numel` elements.
template <typename Word>
void GatherView(Word* values,
                const StridedView& view,
                const Word* x,
                int64_t numel) {
  const Tiles tiles(numel, sizeof(Word));
  ParallelFor(tiles.count, view.numel() * sizeof(Word), [&](int64_t i) {
    view.ForEachRun(
        tiles.begin(i),
        tiles.end(i),
        [&](int64_t at, int64_t stride, int64_t to, int64_t step, int64_t n) {
          CopyStrided(values + to, step, x + at, stride, n);
        });
  });
}

// The kernel of a forward and a second-order gradient: x or values are zeros
// if null.
template <typename T, typename Context>
void ReplaceViewKernel(const Context& dev_ctx,
                       const DenseTensor* x,
                       const DenseTensor* values,
                       const StridedView& view,
                       DenseTensor* out) {
  using Word = WordOf<T>;
  Word* data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  if (out->numel() == 0) return;
  CopyAndReplace<Word>(
      data, out->numel(), WordsOf<Word>(x), view, WordsOf<Word>(values));
}

// The kernel of a gradient. Either output may be null.
template <typename T, typename Context>
void ReplaceViewGradKernel(const Context& dev_ctx,
                           const char* op,
                           const DenseTensor& x,
                           const DenseTensor& values,
                           const DenseTensor& out_grad,
                           const StridedView& view,
                           DenseTensor* x_grad,
                           DenseTensor* values_grad) {
  CheckOutGrad(op, out_grad, x.dims(), x_grad);
  using Word = WordOf<T>;
  SizeGrad(x, x_grad);
  SizeGrad(values, values_grad);
  if (values_grad != nullptr) {
    Word* data =
        reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(values_grad));
    GatherView<Word>(data, view, WordsOf<Word>(&out_grad), out_grad.numel());
  }
  // Last, since it may be written over out_grad.
  if (x_grad != nullptr) {
    ReplaceViewKernel<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
  }
}

}  // namespace phi::funcs::scatter_ops
