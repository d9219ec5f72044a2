#pragma once

#include <string>

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// Copies x to out, then replaces the slices that index names along axis by the
// product ("mul"), maximum ("amax") or minimum ("amin") of their updates. With
// include_self, the slice of x takes part in the reduction.
template <typename T, typename Context>
void IndexReduceKernel(const Context& dev_ctx,
                       const DenseTensor& x,
                       const DenseTensor& index,
                       const DenseTensor& updates,
                       int axis,
                       const std::string& reduce,
                       bool include_self,
                       DenseTensor* out);

}  // namespace phi
