// Overrides of the CPU kernels of Paddle's own operators.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace native_ops {

// Overrides the entries in Paddle's kernel factory.
void OverridePaddleKernels();

// Returns, by operator, the dtypes whose kernel in Paddle's factory is the
// override.
std::map<std::string, std::vector<std::string>> OverriddenKernels();

}  // namespace native_ops
