// The kernels of select_scatter, diagonal_scatter and their gradients on the
// GPU: copy a tensor with a strided view replaced, and gather such a view. In
// place, elements outside the view are neither read nor written. The view must
// lie within x and have as many elements as values, unless these are null.

#pragma once

#include <cstdint>
#include <memory>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// The kernel of the forward and double gradient operators. A null x or values
// stands for zeros; out may share the memory of either.
template <typename T, typename Context>
void ReplaceViewKernel(const Context& dev_ctx,
                       const DenseTensor* x,
                       const DenseTensor* values,
                       const StridedView& view,
                       DenseTensor* out) {
  using Storage = StorageType<T>;
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  const Storage* x_data = StorageData<Storage>(x);
  Storage* data = reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(out));
  if (bytes == 0) return;
  std::unique_ptr<DenseTensor> copy;
  const Storage* values_data =
      values ? CopyIfOverlapping<Storage>(dev_ctx, *values, data, bytes, &copy)
             : nullptr;
  if (x_data == nullptr) {
    ClearBytes(dev_ctx, data, bytes);
  } else {
    CopyBytes(dev_ctx, x_data, bytes, data);
  }
  ForEach(dev_ctx, view.numel(), [=] __device__(int64_t k) {
    const auto at = view.Locate(k);
    data[at.x] = values_data != nullptr ? values_data[at.values] : Storage{};
  });
}

// The kernel of the gradient operators. Either output may be null; x_grad may
// be out_grad.
template <typename T, typename Context>
void ReplaceViewGradKernel(const Context& dev_ctx,
                           const char* op,
                           const DenseTensor& x,
                           const DenseTensor& values,
                           const DenseTensor& out_grad,
                           const StridedView& view,
                           DenseTensor* x_grad,
                           DenseTensor* values_grad) {
  using Storage = StorageType<T>;
  CheckOutGrad(op, out_grad, x.dims(), x_grad);
  ResizeLike(x, x_grad);
  ResizeLike(values, values_grad);
  if (values_grad) {
    const Storage* from = StorageData<Storage>(&out_grad);
    auto* to =
        reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(values_grad));
    ForEach(dev_ctx, view.numel(), [=] __device__(int64_t k) {
      const auto at = view.Locate(k);
      to[at.values] = from[at.x];
    });
  }
  if (x_grad) ReplaceViewKernel<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
}

}  // namespace phi::funcs::scatter_ops
