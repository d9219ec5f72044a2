// masked_scatter and its gradients, for all devices. Include the device's
// masked_scatter header first: it defines ReplaceSelected and
// MaskedScatterGrad.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"
#include "paddle/phi/kernels/masked_scatter_kernel.h"

namespace phi {

template <typename T, typename Context>
void MaskedScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  // Before Alloc: throws if x is out, was enlarged by InferMeta and exceeds its
  // memory.
  if (x.numel() > 0) x.data();
  ops::ReplaceSelected<ops::StorageType<T>>(dev_ctx,
                                            "masked_scatter",
                                            out->dims(),
                                            &x,
                                            mask,
                                            &value,
                                            dev_ctx.template Alloc<T>(out));
}

template <typename T, typename Context>
void MaskedScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  namespace ops = funcs::scatter_ops;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
  ops::CheckOutGrad("masked_scatter_grad", out_grad, dims, x_grad);
  DenseTensor dout = out_grad;  // x_grad may be the same object, resized
  dout.Resize(dims);
  ops::ResizeLike(x, x_grad);
  ops::ResizeLike(value, value_grad);
  ops::MaskedScatterGrad<T>(dev_ctx, dout, mask, x_grad, value_grad);
}

template <typename T, typename Context>
void MaskedScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& mask,
    const DenseTensor& value,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_value_grad,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
  const char* const op = "masked_scatter_double_grad";
  ops::CheckGradDims(op, "grad_x_grad", grad_x_grad.get_ptr(), x.dims());
  ops::CheckGradDims(
      op, "grad_value_grad", grad_value_grad.get_ptr(), value.dims());
  grad_out_grad->Resize(dims);
  ops::ReplaceSelected<ops::StorageType<T>>(
      dev_ctx,
      op,
      dims,
      grad_x_grad.get_ptr(),
      mask,
      grad_value_grad.get_ptr(),
      dev_ctx.template Alloc<T>(grad_out_grad));
}

}  // namespace phi
