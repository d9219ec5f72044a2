// diagonal_scatter and its gradients, for all devices. Include the device's
// strided_copy header first.

#pragma once

#include "paddle/phi/kernels/diagonal_scatter_grad_kernel.h"
#include "paddle/phi/kernels/diagonal_scatter_kernel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/diagonal_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/view_kernels.h"

namespace phi {

template <typename T, typename Context>
void DiagonalScatterKernel(const Context& dev_ctx,
                           const DenseTensor& x,
                           const DenseTensor& y,
                           int64_t offset,
                           int axis1,
                           int axis2,
                           DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  const auto view =
      ops::MakeDiagonalView(x.dims(), y.dims(), offset, axis1, axis2);
  ops::ReplaceView<T>(dev_ctx, &x, &y, view, out);
}

template <typename T, typename Context>
void DiagonalScatterGradKernel(const Context& dev_ctx,
                               const DenseTensor& x,
                               const DenseTensor& y,
                               const DenseTensor& out_grad,
                               int64_t offset,
                               int axis1,
                               int axis2,
                               DenseTensor* x_grad,
                               DenseTensor* y_grad) {
  namespace ops = funcs::scatter_ops;
  const auto view =
      ops::MakeDiagonalView(x.dims(), y.dims(), offset, axis1, axis2);
  ops::ReplaceViewGrad<T>(
      dev_ctx, "diagonal_scatter_grad", x, y, out_grad, view, x_grad, y_grad);
}

template <typename T, typename Context>
void DiagonalScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& y,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_y_grad,
    int64_t offset,
    int axis1,
    int axis2,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  const auto view =
      ops::MakeDiagonalView(x.dims(), y.dims(), offset, axis1, axis2);
  ops::ReplaceViewDoubleGrad<T>(dev_ctx,
                                "diagonal_scatter_double_grad",
                                "grad_y_grad",
                                x,
                                y,
                                grad_x_grad.get_ptr(),
                                grad_y_grad.get_ptr(),
                                view,
                                grad_out_grad);
}

}  // namespace phi
