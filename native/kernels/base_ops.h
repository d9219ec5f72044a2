// What Paddle's own operators need besides the entries in base_ops/.

#pragma once

#include <vector>

#include "kernels/runtime.h"

namespace native_ops {

// Paddle's gradient of masked_fill, as an operator whose own gradient is
// recorded.
std::vector<paddle::Tensor> MaskedFillGradRecorded(
    const std::vector<paddle::Tensor>& inputs, const Attrs& attrs);

}  // namespace native_ops
