// index_scatter and its gradients, for all devices. Include the device's
// headers of the reductions and their gradients first.

#pragma once

#include <string>

#include "paddle/phi/kernels/index_scatter_grad_kernel.h"
#include "paddle/phi/kernels/index_scatter_kernel.h"

namespace phi {

template <typename T, typename Context>
void IndexScatterKernel(const Context& dev_ctx,
                        const DenseTensor& x,
                        const DenseTensor& index,
                        const DenseTensor& updates,
                        int axis,
                        const std::string& reduce,
                        bool include_self,
                        DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  const ops::IndexReduceCall call{
      ops::ParseIndexReduce(reduce), axis, include_self};
  ops::IndexReduceInto<T>(
      dev_ctx, ops::LinearReduces{}, call, x, index, updates, out);
}

template <typename T, typename Context>
void IndexScatterGradKernel(const Context& dev_ctx,
                            const DenseTensor& x,
                            const DenseTensor& index,
                            const DenseTensor& updates,
                            const DenseTensor& out_grad,
                            int axis,
                            const std::string& reduce,
                            bool include_self,
                            DenseTensor* x_grad,
                            DenseTensor* updates_grad) {
  namespace ops = funcs::scatter_ops;
  const ops::IndexReduceCall call{
      ops::ParseIndexReduce(reduce), axis, include_self};
  ops::IndexReduceGradInto<T>(dev_ctx,
                              ops::LinearReduces{},
                              call,
                              x,
                              index,
                              updates,
                              /*out=*/out_grad,
                              out_grad,
                              x_grad,
                              updates_grad);
}

template <typename T, typename Context>
void IndexScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& index,
    const DenseTensor& updates,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_updates_grad,
    int axis,
    const std::string& reduce,
    bool include_self,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  ops::ResizeLike(x, grad_out_grad);
  DenseTensor zeros[2];
  const auto grad_or_zeros = [&](const paddle::optional<DenseTensor>& grad,
                                 const char* name,
                                 const DDim& dims,
                                 DenseTensor* zero) -> const DenseTensor& {
    ops::CheckGradDims("scatter_double_grad", name, grad.get_ptr(), dims);
    if (grad) return *grad;
    zero->Resize(dims);
    ops::AllocZeros<T>(dev_ctx, zero);
    return *zero;
  };
  IndexScatterKernel<T, Context>(
      dev_ctx,
      grad_or_zeros(grad_x_grad, "grad_x_grad", x.dims(), &zeros[0]),
      index,
      grad_or_zeros(
          grad_updates_grad, "grad_updates_grad", updates.dims(), &zeros[1]),
      axis,
      reduce,
      include_self,
      grad_out_grad);
}

}  // namespace phi
