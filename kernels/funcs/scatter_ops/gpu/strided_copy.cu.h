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

#include "paddle/phi/kernels/funcs/fast_divmod.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// A StridedView, which is not empty, as a kernel argument. Counts elements of
// `bytes` bytes.
struct GpuStridedView {
  struct Axis {
    int64_t dim;
    int64_t stride;
    int64_t value_stride;
    FastDivMod<int64_t> by_dim;
  };

  int bytes;
  int64_t numel;
  int64_t offset;
  int rank;
  Axis axes[DDim::kMaxRank];

  GpuStridedView(const StridedView& view, int element_bytes)
      : bytes(element_bytes),
        numel(view.numel()),
        offset(view.offset()),
        rank(view.rank()) {
    for (int a = 0; a < rank; ++a) {
      const StridedView::Axis& axis = view.axis(a);
      axes[a] = {axis.dim,
                 axis.stride,
                 axis.value_stride,
                 FastDivMod<int64_t>(axis.dim)};
    }
  }

  // Counts two elements as one as long as they are neighbours at both ends, and
  // aligned: up to 16 bytes move at once.
  void Widen(const void* x, const void* values) {
    while (bytes < 16 && CanWiden() && IsAligned(x, 2 * bytes) &&
           IsAligned(values, 2 * bytes)) {
      bytes *= 2;
      numel /= 2;
      offset /= 2;
      Axis& inner = axes[rank - 1];
      inner.dim /= 2;
      inner.by_dim = FastDivMod<int64_t>(inner.dim);
      for (int a = 0; a < rank - 1; ++a) {
        axes[a].stride /= 2;
        axes[a].value_stride /= 2;
      }
    }
  }

 private:
  bool CanWiden() const {
    if (rank == 0) return false;
    const Axis& inner = axes[rank - 1];
    bool can = inner.stride == 1 && inner.value_stride == 1 &&
               inner.dim % 2 == 0 && offset % 2 == 0;
    for (int a = 0; a < rank - 1; ++a) {
      can = can && axes[a].stride % 2 == 0 && axes[a].value_stride % 2 == 0;
    }
    return can;
  }
};

// Moves the elements of a view from the values to x, or from x to the values.
// Without values, x gets zeros.
template <typename Word, bool kToX>
struct MoveView {
  GpuStridedView view;
  Word* x;
  Word* values;

  __device__ void operator()(int64_t k) const {
    int64_t at = view.offset;
    int64_t from = 0;
#pragma unroll 1
    for (int a = view.rank - 1; a >= 0; --a) {
      const GpuStridedView::Axis& axis = view.axes[a];
      const int64_t outer = a > 0 ? axis.by_dim.Div(k) : 0;
      const int64_t index = k - outer * axis.dim;
      at += index * axis.stride;
      from += index * axis.value_stride;
      k = outer;
    }
    if (!kToX) {
      values[from] = x[at];
    } else {
      x[at] = values != nullptr ? values[from] : Word{};
    }
  }
};

template <int kBytes, bool kToX>
void QueueMoveView(const GPUContext& dev_ctx,
                   const GpuStridedView& view,
                   void* x,
                   void* values) {
  using Word = typename WordOf<kBytes>::type;
  if (view.bytes != kBytes) return;
  ForEach(dev_ctx,
          view.numel,
          MoveView<Word, kToX>{
              view, static_cast<Word*>(x), static_cast<Word*>(values)});
}

template <bool kToX>
void MoveViewGpu(const GPUContext& dev_ctx,
                 const StridedView& strided,
                 int element_bytes,
                 void* x,
                 void* values) {
  if (strided.numel() == 0) return;
  GpuStridedView view(strided, element_bytes);
  view.Widen(x, values);
  QueueMoveView<1, kToX>(dev_ctx, view, x, values);
  QueueMoveView<2, kToX>(dev_ctx, view, x, values);
  QueueMoveView<4, kToX>(dev_ctx, view, x, values);
  QueueMoveView<8, kToX>(dev_ctx, view, x, values);
  QueueMoveView<16, kToX>(dev_ctx, view, x, values);
}

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
  if (x_data) {
    CopyBytes(dev_ctx, x_data, bytes, data);
  } else {
    ClearBytes(dev_ctx, data, bytes);
  }
  MoveViewGpu</*kToX=*/true>(
      dev_ctx, view, sizeof(T), data, const_cast<T*>(values_data));
}

// The kernel of a gradient. Either output may be null; x_grad may be out_grad.
template <typename T, typename Context>
void ReplaceViewGradKernel(const Context& dev_ctx,
                           const DenseTensor& out_grad,
                           const StridedView& view,
                           DenseTensor* x_grad,
                           DenseTensor* values_grad) {
  if (values_grad) {
    T* data = dev_ctx.template Alloc<T>(values_grad);
    MoveViewGpu</*kToX=*/false>(dev_ctx,
                                view,
                                sizeof(T),
                                const_cast<T*>(DataOrNull<T>(out_grad)),
                                data);
  }
  if (x_grad) ReplaceViewKernel<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
