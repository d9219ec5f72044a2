#pragma once

#include <string>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/utils/optional.h"

namespace phi {

// Reads only the shapes of x and updates. x_grad may be out_grad; either
// gradient may be null.
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
                            DenseTensor* updates_grad);

// The operator is linear: this is the forward operator applied to the
// gradients; a missing one is zero.
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
    DenseTensor* grad_out_grad);

}  // namespace phi
