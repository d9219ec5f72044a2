#pragma once

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/utils/optional.h"

namespace phi {

// x_grad = out_grad with zeros on the diagonals, y_grad = its diagonals.
// Either may be null.
template <typename T, typename Context>
void DiagonalScatterGradKernel(const Context& dev_ctx,
                               const DenseTensor& x,
                               const DenseTensor& y,
                               const DenseTensor& out_grad,
                               int64_t offset,
                               int axis1,
                               int axis2,
                               DenseTensor* x_grad,
                               DenseTensor* y_grad);

// The forward operator applied to the gradients; a missing one is zero.
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
    DenseTensor* grad_out_grad);

}  // namespace phi
