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

// Copy a tensor with a strided part of it replaced, and read such a part, on
// the GPU: all that select_scatter, diagonal_scatter and their gradients do.
// What stays where it is is not touched in place.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// How many elements of `bytes` bytes move as one word: as many as are aligned
// neighbours at both ends, up to 16 bytes.
inline int ElementsOfWord(const StridedView& view,
                          int bytes,
                          const void* from,
                          const void* to) {
  const auto fits = [&](int n) {
    bool fits = view.run() % n == 0 && view.offset() % n == 0 &&
                IsAligned(from, n * bytes) && IsAligned(to, n * bytes);
    for (int a = 0; a < view.rank(); ++a) {
      const StridedView::Axis& axis = view.axis(a);
      const bool inner = a == view.rank() - 1;
      fits =
          fits && (inner ? axis.value_stride == 1
                         : axis.stride % n == 0 && axis.value_stride % n == 0);
    }
    return fits;
  };
  int n = 1;
  while (2 * n * bytes <= 16 && fits(2 * n)) n *= 2;
  return n;
}

// Moves elements from where one view of them has them to where another has.
// Without `from`: zeros.
template <typename Word>
struct MoveView {
  OperandView from_view;
  OperandView to_view;
  const Word* from;
  Word* to;

  __device__ void operator()(int64_t k) const {
    to[to_view.Offset(k)] =
        from != nullptr ? from[from_view.Offset(k)] : Word{};
  }
};

// The view, which is not empty, in words of n elements each.
template <int kBytes>
void QueueMoveView(const GPUContext& dev_ctx,
                   const StridedView& view,
                   int n,
                   bool to_x,
                   const void* from,
                   void* to) {
  using Word = typename WordOf<kBytes>::type;
  OperandView in_x;
  OperandView in_values;
  for (int a = 0; a < view.rank(); ++a) {
    const StridedView::Axis& axis = view.axis(a);
    const bool inner = a == view.rank() - 1;
    const int64_t step = inner ? 1 : n;
    in_x.Append(inner ? axis.dim / n : axis.dim, axis.stride / step);
    in_values.Append(inner ? axis.dim / n : axis.dim, axis.value_stride / step);
  }
  const auto* source = static_cast<const Word*>(from);
  auto* target = static_cast<Word*>(to);
  const int64_t first = view.offset() / n;  // of x
  ForEach(dev_ctx,
          view.numel() / n,
          to_x ? MoveView<Word>{in_values, in_x, source, target + first}
               : MoveView<Word>{in_x, in_values, source + first, target});
}

// From the values to x, or from x to the values. Without `from`, x gets zeros.
inline void MoveViewGpu(const GPUContext& dev_ctx,
                        const StridedView& view,
                        int bytes,
                        bool to_x,
                        const void* from,
                        void* to) {
  if (view.numel() == 0) return;
  const int n = ElementsOfWord(view, bytes, from, to);
  const auto queue = [&](auto constant) {
    constexpr int kBytes = decltype(constant)::value;
    if (n * bytes == kBytes) {
      QueueMoveView<kBytes>(dev_ctx, view, n, to_x, from, to);
    }
  };
  queue(std::integral_constant<int, 1>{});
  queue(std::integral_constant<int, 2>{});
  queue(std::integral_constant<int, 4>{});
  queue(std::integral_constant<int, 8>{});
  queue(std::integral_constant<int, 16>{});
}

// x with the elements of a view replaced by values, in one pass.
template <typename Word>
struct ReplaceView {
  const Word* x;
  const Word* values;
  Word* out;
  StridedView view;
  FastDivMod<int64_t> by_stride[DDim::kMaxRank] = {};

  __device__ void operator()(int64_t i) const {
    int64_t left = i - view.offset();
    int64_t from = 0;
    bool inside = left >= 0;
    // The elements of one index of an axis lie before those of the next.
    for (int a = 0; inside && a < view.rank(); ++a) {
      const int64_t index = by_stride[a].Div(left);
      left -= index * view.axis(a).stride;
      from += index * view.axis(a).value_stride;
      inside = index < view.axis(a).dim;
    }
    out[i] = inside && left == 0 ? values[from] : x[i];
  }
};

// The kernel of a forward and a second-order gradient: x or values are zeros
// if null. out may share the memory of either.
template <typename T, typename Context>
void ReplaceViewKernel(const Context& dev_ctx,
                       const DenseTensor* x,
                       const DenseTensor* values,
                       const StridedView& view,
                       DenseTensor* out) {
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  const KeptGrad kept = x ? KeptGrad(*x) : KeptGrad(DenseTensor());
  const T* x_data = kept.template data<T>();
  T* data = dev_ctx.template Alloc<T>(out);
  if (bytes == 0) return;
  DenseTensor copy;
  const T* values_data =
      values ? ReadApart<T>(dev_ctx, *values, data, bytes, &copy) : nullptr;
  // A copy and a pass over the view would move most sectors of memory twice.
  const int64_t sectors = values_data ? view.numel() / view.run() *
                                            ((view.run() * sizeof(T) + 31) / 32)
                                      : 0;
  if (x_data && x_data != data && sizeof(T) >= 4 && 64 * sectors > bytes) {
    ReplaceView<T> replace{x_data, values_data, data, view};
    for (int a = 0; a < view.rank(); ++a) {
      replace.by_stride[a] = FastDivMod<int64_t>(view.axis(a).stride);
    }
    ForEach(dev_ctx, out->numel(), replace);
    return;
  }
  if (x_data) {
    CopyBytes(dev_ctx, x_data, bytes, data);
  } else {
    ClearBytes(dev_ctx, data, bytes);
  }
  MoveViewGpu(dev_ctx, view, sizeof(T), /*to_x=*/true, values_data, data);
}

// The kernel of a gradient. Either output may be null; x_grad may be out_grad.
template <typename T, typename Context>
void ReplaceViewGradKernel(const Context& dev_ctx,
                           const DenseTensor& x,
                           const DenseTensor& values,
                           const DenseTensor& out_grad,
                           const StridedView& view,
                           DenseTensor* x_grad,
                           DenseTensor* values_grad) {
  SizeGrad(x, x_grad);
  SizeGrad(values, values_grad);
  if (values_grad) {
    T* data = dev_ctx.template Alloc<T>(values_grad);
    MoveViewGpu(dev_ctx,
                view,
                sizeof(T),
                /*to_x=*/false,
                DataOrNull<T>(out_grad),
                data);
  }
  if (x_grad) ReplaceViewKernel<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
