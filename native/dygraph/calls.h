// The functions of paddle._C_ops, as Paddle's generated code has them: `self`
// is the capsule of the entry, keyword arguments are ignored.

#pragma once

#include "python/python_args.h"

namespace native_ops {

// f(inputs..., attrs...). Dispatches to paddle._native_runtime in static graphs
// and for distributed Tensors.
PyObject* CallOp(PyObject* self, PyObject* args, PyObject* kwargs);

// f_(inputs..., attrs...): writes the result into the in-place input and
// returns that.
PyObject* CallInplace(PyObject* self, PyObject* args, PyObject* kwargs);

// The functions of Paddle's own operators. `self` is a tuple of the capsule and
// Paddle's function, which serves the call, with one exception: distributed
// Tensors if `recorded` is set (masked_fill), calls that record a gradient if
// not (scatter).
PyObject* CallBase(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* CallBaseInplace(PyObject* self, PyObject* args, PyObject* kwargs);

// take_history(x, y): x takes the place of y in the backward graph. Throws for
// a leaf that requires a gradient.
void TakeHistory(const py::object& x, const py::object& y);

}  // namespace native_ops
