// Nodes of Paddle's backward graph whose gradient is a Python function, for
// distributed Tensors.

#pragma once

#include <string>

#include "python/python_args.h"

namespace native_ops {

// record_callback(name, backward, input, result): records
// backward(create_graph, grad of `result`) as the gradient of `input`. If
// `result` has no gradient, `backward` is not called.
void RecordCallback(const std::string& name,
                    const py::object& backward,
                    const py::object& input,
                    const py::object& result);

}  // namespace native_ops
