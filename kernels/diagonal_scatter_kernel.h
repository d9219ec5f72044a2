#pragma once

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// out = x with the diagonals between axis1 and axis2 replaced by y, which has
// them along its last axis.
template <typename T, typename Context>
void DiagonalScatterKernel(const Context& dev_ctx,
                           const DenseTensor& x,
                           const DenseTensor& y,
                           int64_t offset,
                           int axis1,
                           int axis2,
                           DenseTensor* out);

}  // namespace phi
