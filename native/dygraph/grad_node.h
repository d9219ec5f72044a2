// The gradients of dygraph: nodes of Paddle's backward graph, each of which
// runs one backward entry.

#pragma once

#include <memory>

#include "dygraph/eager_abi.h"
#include "paddle/phi/api/include/tensor.h"
#include "paddle/utils/small_vector.h"
#include "python/python_args.h"

namespace native_ops {

// A few of each, for which a call takes no memory.
using Wanted = paddle::small_vector<bool, 4>;
using Results = paddle::small_vector<paddle::Tensor*, 2>;

// Whether the gradient reads the values that the in-place form overwrites.
bool ReadsOverwritten(const OpSpec& spec);

// Connects the results of a call of `spec` to those of its inputs that want a
// gradient; an input that is not a defined Tensor is null. `kept`: the inputs
// for the gradient to read. `wanted` says for each input whether its gradient
// is to be computed.
void RecordGradient(const OpSpec& spec,
                    const TensorPointers& inputs,
                    const TensorPointers& kept,
                    const Wanted& wanted,
                    const Attrs& attrs,
                    const Results& results);

// Makes `tensor` the result of `node` in that slot. What else is known of it
// (name, hooks, retain_grads, persistable) stays.
void Connect(paddle::Tensor* tensor,
             size_t slot,
             const std::shared_ptr<egr::GradNodeBase>& node);

}  // namespace native_ops
