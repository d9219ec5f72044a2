// Nodes of Paddle's backward graph. Each runs one backward entry.

#pragma once

#include <memory>

#include "dygraph/eager_abi.h"
#include "paddle/phi/api/include/tensor.h"
#include "paddle/utils/small_vector.h"
#include "python/python_args.h"

namespace native_ops {

// Inline capacities cover every entry, so a call allocates none of these.
using GradMask = paddle::small_vector<bool, 4>;
using Results = paddle::small_vector<paddle::Tensor*, 2>;

// Whether the gradient reads the input that the in-place form overwrites.
bool ReadsOverwritten(const OpSpec& spec);

class GradNode;

// Returns the node of a call of `spec`, which saves the inputs that the
// gradient reads; undefined inputs are null. An in-place call saves them before
// it writes: backward raises if the write changes one. mask[i] is true if input
// i requires a gradient.
std::shared_ptr<GradNode> SaveInputs(const OpSpec& spec,
                                     const TensorPointers& inputs,
                                     const GradMask& mask,
                                     const Attrs& attrs);

// Connects the results of the call to its inputs in the backward graph.
void RecordGradient(const std::shared_ptr<GradNode>& node,
                    const TensorPointers& inputs,
                    const Results& results);

// Makes `tensor` the result of `node` in a slot. Its other properties (name,
// hooks, retain_grads, persistable) do not change.
void Connect(paddle::Tensor* tensor,
             size_t slot,
             const std::shared_ptr<egr::GradNodeBase>& node);

}  // namespace native_ops
