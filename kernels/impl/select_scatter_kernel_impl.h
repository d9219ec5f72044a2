// select_scatter and its gradients, for all devices. Include the device's
// strided_copy header first.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/shared/select_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/view_kernels.h"
#include "paddle/phi/kernels/select_scatter_grad_kernel.h"
#include "paddle/phi/kernels/select_scatter_kernel.h"

namespace phi {

template <typename T, typename Context>
void SelectScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& values,
                         int axis,
                         int64_t index,
                         DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  const auto view = ops::MakeSelectView(x.dims(), values.dims(), axis, index);
  ops::ReplaceView<T>(dev_ctx, &x, &values, view, out);
}

template <typename T, typename Context>
void SelectScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& values,
                             const DenseTensor& out_grad,
                             int axis,
                             int64_t index,
                             DenseTensor* x_grad,
                             DenseTensor* values_grad) {
  namespace ops = funcs::scatter_ops;
  const auto view = ops::MakeSelectView(x.dims(), values.dims(), axis, index);
  ops::ReplaceViewGrad<T>(dev_ctx,
                          "select_scatter_grad",
                          x,
                          values,
                          out_grad,
                          view,
                          x_grad,
                          values_grad);
}

template <typename T, typename Context>
void SelectScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& values,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_values_grad,
    int axis,
    int64_t index,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  const auto view = ops::MakeSelectView(x.dims(), values.dims(), axis, index);
  ops::ReplaceViewDoubleGrad<T>(dev_ctx,
                                "select_scatter_double_grad",
                                "grad_values_grad",
                                x,
                                values,
                                grad_x_grad.get_ptr(),
                                grad_values_grad.get_ptr(),
                                view,
                                grad_out_grad);
}

}  // namespace phi
