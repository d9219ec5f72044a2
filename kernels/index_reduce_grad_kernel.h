#pragma once

#include <string>

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// Either gradient may be null.
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
                           DenseTensor* updates_grad);

}  // namespace phi
