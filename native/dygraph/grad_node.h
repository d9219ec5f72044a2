// The gradients of dygraph: nodes of Paddle's backward graph, each of which
// runs one backward entry.

#pragma once

#include <memory>
#include <vector>

#include "dygraph/eager_abi.h"
#include "kernels/runtime.h"
#include "paddle/phi/api/include/tensor.h"

namespace native_ops {

// Connects the results of a call of `spec` to those of its inputs that want a
// gradient; an input that is not a defined Tensor is null. `wanted` says for
// each input whether its gradient is to be computed.
void RecordGradient(const OpSpec& spec,
                    const std::vector<const paddle::Tensor*>& inputs,
                    const std::vector<bool>& wanted,
                    const Attrs& attrs,
                    const std::vector<paddle::Tensor*>& results);

// Makes `tensor` the result of `node` in that slot. What else is known of it
// (name, hooks, retain_grads, persistable) stays.
void Connect(paddle::Tensor* tensor,
             size_t slot,
             const std::shared_ptr<egr::GradNodeBase>& node);

}  // namespace native_ops
