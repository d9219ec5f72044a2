#pragma once

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// out = x with the slice at `index` of `axis` replaced by values.
template <typename T, typename Context>
void SelectScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& values,
                         int axis,
                         int64_t index,
                         DenseTensor* out);

}  // namespace phi
