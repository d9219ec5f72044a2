// Operators that Paddle has already, with this project's kernels on the CPU.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/runtime.h"

namespace native_ops {

// Writes over Paddle's own kernels in its registry.
void TakeOverBaseKernels();

// Operators with kernels taken over, and for each the dtypes whose kernel in
// Paddle's registry is this project's now.
std::map<std::string, std::vector<std::string>> TakenKernels();

// Paddle's gradient of masked_fill, as an operator whose own gradient is
// recorded.
std::vector<paddle::Tensor> MaskedFillGradRecorded(
    const std::vector<paddle::Tensor>& inputs, const Attrs& attrs);

}  // namespace native_ops
