#pragma once

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/utils/optional.h"

namespace phi {

// x_grad is out_grad where mask is False, summed to the shape of x; value_grad
// is the elements of out_grad where mask is True, in order, then zeros. Either
// may be null.
template <typename T, typename Context>
void MaskedScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad);

// grad_out_grad = masked_scatter(grad_x_grad, mask, grad_value_grad), where a
// missing gradient is zero.
template <typename T, typename Context>
void MaskedScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& mask,
    const DenseTensor& value,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_value_grad,
    DenseTensor* grad_out_grad);

}  // namespace phi
