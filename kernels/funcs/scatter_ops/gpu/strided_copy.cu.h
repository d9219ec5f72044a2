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

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// Moves elements from where one view of them has them to where another has.
// Without `from`: zeros.
template <typename Storage>
struct MoveView {
  OperandView from_view;
  OperandView to_view;
  const Storage* from;
  Storage* to;

  __device__ void operator()(int64_t k) const {
    to[to_view.Offset(k)] =
        from != nullptr ? from[from_view.Offset(k)] : Storage{};
  }
};

// From the values to x, or from x to the values. Without `from`, x gets zeros.
template <typename Storage>
void MoveViewGpu(const GPUContext& dev_ctx,
                 const StridedView& view,
                 bool to_x,
                 const Storage* from,
                 Storage* to) {
  if (view.numel() == 0) return;
  OperandView in_x;
  OperandView in_values;
  for (int a = 0; a < view.rank(); ++a) {
    const StridedView::Axis& axis = view.axis(a);
    in_x.Append(axis.dim, axis.stride);
    in_values.Append(axis.dim, axis.value_stride);
  }
  ForEach(dev_ctx,
          view.numel(),
          to_x ? MoveView<Storage>{in_values, in_x, from, to + view.offset()}
               : MoveView<Storage>{in_x, in_values, from + view.offset(), to});
}

// The kernel of a forward and a second-order gradient: x or values are zeros
// if null. out may share the memory of either.
template <typename T, typename Context>
void ReplaceViewKernel(const Context& dev_ctx,
                       const DenseTensor* x,
                       const DenseTensor* values,
                       const StridedView& view,
                       DenseTensor* out) {
  using Storage = StorageType<T>;
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  const DenseTensor kept = x ? *x : DenseTensor();  // out may be x
  const Storage* x_data = x ? StorageData<Storage>(&kept) : nullptr;
  Storage* data = reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(out));
  if (bytes == 0) return;
  std::optional<DenseTensor> copy;
  const Storage* values_data =
      values ? CopyIfOverlapping<Storage>(dev_ctx, *values, data, bytes, &copy)
             : nullptr;
  if (x_data == nullptr) {
    ClearBytes(dev_ctx, data, bytes);
  } else if (x_data != data) {
    backends::gpu::GpuMemcpyAsync(
        data, x_data, bytes, gpuMemcpyDeviceToDevice, dev_ctx.stream());
  }
  MoveViewGpu<Storage>(dev_ctx, view, /*to_x=*/true, values_data, data);
}

// The kernel of a gradient. Either output may be null; x_grad may be out_grad.
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
  ResizeLike(x, x_grad);
  ResizeLike(values, values_grad);
  if (values_grad) {
    using Storage = StorageType<T>;
    Storage* data =
        reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(values_grad));
    MoveViewGpu<Storage>(dev_ctx,
                         view,
                         /*to_x=*/false,
                         StorageData<Storage>(&out_grad),
                         data);
  }
  if (x_grad) ReplaceViewKernel<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
}

}  // namespace phi::funcs::scatter_ops
