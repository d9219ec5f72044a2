#pragma once

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// Copies x to out and replaces the elements where mask is True by those of
// value, in row-major order. x and mask broadcast.
template <typename T, typename Context>
void MaskedScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out);

}  // namespace phi
