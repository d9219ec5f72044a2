// Overrides of the CPU kernels of Paddle's own operators.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernels/runtime.h"

namespace native_ops {

// Overrides the entries in Paddle's kernel factory.
void OverridePaddleKernels();

// Returns, by operator, the dtypes whose kernel in Paddle's factory is the
// override.
std::map<std::string, std::vector<std::string>> OverriddenKernels();

// Calls Paddle's masked_fill_grad, which records its own gradient.
std::vector<paddle::Tensor> MaskedFillGradAdFunc(
    const std::vector<paddle::Tensor>& inputs, const Attrs& attrs);

}  // namespace native_ops
