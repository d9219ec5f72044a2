// Gradients that Python computes: a node of Paddle's backward graph that calls
// back, for distributed Tensors.

#pragma once

#include <string>

#include "python/python_args.h"

namespace native_ops {

// record_callback(name, backward, input, result): the gradient of `input` is
// backward(create_graph, gradient of `result`), where there is one of that.
void RecordCallback(const std::string& name,
                    const py::object& backward,
                    const py::object& input,
                    const py::object& result);

// to_distributed(tensor, like): a dense Tensor becomes a replicated one on the
// mesh of `like`, as the inputs of Paddle's own operators do.
void ToDistributed(const py::object& tensor, const py::object& like);

}  // namespace native_ops
