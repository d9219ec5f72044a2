// The functions of paddle._C_ops in the form of Paddle's generated code: `self`
// is the entry's capsule, and keyword arguments are ignored.

#pragma once

#include "python/python_args.h"

namespace native_ops {

// f(inputs..., attrs...). Calls in static graphs and of distributed Tensors are
// handed on to paddle._native_runtime.
PyObject* CallOp(PyObject* self, PyObject* args, PyObject* kwargs);

// f_(inputs..., attrs...): the result is written into the in-place input, which
// is returned.
PyObject* CallInplace(PyObject* self, PyObject* args, PyObject* kwargs);

// The functions of an operator that Paddle has. `self` is a tuple of the
// capsule and Paddle's own function, which serves the call, but where the wheel
// cannot extend it: distributed Tensors, if Paddle's gradient has one of its
// own
// (`recorded`), and otherwise calls that record a gradient.
PyObject* CallBase(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* CallBaseInplace(PyObject* self, PyObject* args, PyObject* kwargs);

// take_history(x, y): x becomes the result that y is of the backward graph. An
// error for a leaf that requires a gradient.
void TakeHistory(const py::object& x, const py::object& y);

}  // namespace native_ops
