// index_reduce and its gradient, for all devices. Include the device's headers
// of the reductions and their gradients first.

#pragma once

#include <string>

#include "paddle/phi/kernels/index_reduce_grad_kernel.h"
#include "paddle/phi/kernels/index_reduce_kernel.h"

namespace phi {

template <typename T, typename Context>
void IndexReduceKernel(const Context& dev_ctx,
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
      dev_ctx, ops::NonlinearReduces{}, call, x, index, updates, out);
}

template <typename T, typename Context>
void IndexReduceGradKernel(const Context& dev_ctx,
                           const DenseTensor& x,
                           const DenseTensor& index,
                           const DenseTensor& updates,
                           const DenseTensor& out,
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
                              ops::NonlinearReduces{},
                              call,
                              x,
                              index,
                              updates,
                              out,
                              out_grad,
                              x_grad,
                              updates_grad);
}

}  // namespace phi
