// The gradients of dygraph: nodes of Paddle's backward graph, each of which
// runs one backward entry.

#pragma once

#include <vector>

#include "paddle/phi/api/include/tensor.h"
#include "runtime.h"

namespace native_ops {

// Connects the results of a call of `spec` to those of its inputs that want a
// gradient; an input that is not a defined Tensor is null. `wanted` says for
// each input whether its gradient is to be computed.
void RecordGradient(const OpSpec& spec,
                    const std::vector<const paddle::Tensor*>& inputs,
                    const std::vector<bool>& wanted,
                    const Attrs& attrs,
                    const std::vector<paddle::Tensor*>& results);

// The dense CPU Tensor in `tensor`; an error that names the argument if it is
// another kind.
const phi::DenseTensor* DenseOf(const OpSpec& spec,
                                const char* name,
                                const paddle::Tensor& tensor);

}  // namespace native_ops
