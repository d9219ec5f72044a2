// The kernels of operators that replace a strided view, for all devices.
// Include the device's strided_copy header first: it defines CopyAndReplace and
// GatherView.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// out = x with the elements of `view` replaced by `values`. A null x or values
// is read as zeros. out may be x, but must not overlap values.
template <typename T, typename Context>
void ReplaceView(const Context& dev_ctx,
                 const DenseTensor* x,
                 const DenseTensor* values,
                 const StridedView& view,
                 DenseTensor* out) {
  using Storage = StorageType<T>;
  auto* data = reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(out));
  if (out->numel() == 0) return;
  CopyAndReplace(dev_ctx,
                 data,
                 out->numel(),
                 StorageData<Storage>(x),
                 view,
                 StorageData<Storage>(values));
}

// x_grad = out_grad with zeros in the view, values_grad = the view of out_grad.
// Either may be null; x_grad may be out_grad.
template <typename T, typename Context>
void ReplaceViewGrad(const Context& dev_ctx,
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
    auto* data =
        reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(values_grad));
    const auto* grad = StorageData<Storage>(&out_grad);
    GatherView(dev_ctx, data, view, grad, out_grad.numel());
  }
  // Last, since x_grad may be out_grad.
  if (x_grad) ReplaceView<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
}

// out = grad_x_grad with the elements of `view` replaced by grad_values_grad.
// Either may be null and is then read as zeros. Error messages refer to
// grad_values_grad as `name`.
template <typename T, typename Context>
void ReplaceViewDoubleGrad(const Context& dev_ctx,
                           const char* op,
                           const char* name,
                           const DenseTensor& x,
                           const DenseTensor& values,
                           const DenseTensor* grad_x_grad,
                           const DenseTensor* grad_values_grad,
                           const StridedView& view,
                           DenseTensor* out) {
  CheckGradDims(op, "grad_x_grad", grad_x_grad, x.dims());
  CheckGradDims(op, name, grad_values_grad, values.dims());
  ResizeLike(x, out);
  ReplaceView<T>(dev_ctx, grad_x_grad, grad_values_grad, view, out);
}

}  // namespace phi::funcs::scatter_ops
