#pragma once

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/utils/optional.h"

namespace phi {

// x_grad = out_grad with the slice cleared, values_grad = the slice of
// out_grad. Either may be null.
template <typename T, typename Context>
void SelectScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& values,
                             const DenseTensor& out_grad,
                             int axis,
                             int64_t index,
                             DenseTensor* x_grad,
                             DenseTensor* values_grad);

// The forward operator applied to the gradients; a missing one is zero.
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
    DenseTensor* grad_out_grad);

}  // namespace phi
