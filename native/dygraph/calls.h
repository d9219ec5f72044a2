// The functions of paddle._C_ops, with the interface of Paddle's generated
// code. `self` is the capsule of the entry; keyword arguments are ignored.

#pragma once

#include "python/python_args.h"

namespace native_ops {

// f(inputs..., attrs...). Dispatches to paddle._native_runtime in static graphs
// and for distributed Tensors.
PyObject* CallOp(PyObject* self, PyObject* args, PyObject* kwargs);

// f_(inputs..., attrs...): writes the result into the in-place input and
// returns that input.
PyObject* CallInplace(PyObject* self, PyObject* args, PyObject* kwargs);

// The functions of Paddle's own operators. `self` is a tuple of the capsule and
// Paddle's function, which serves most calls. The runtime serves distributed
// Tensors if the gradient has an ad_func (masked_fill), else calls that record
// a gradient (scatter).
PyObject* CallBase(PyObject* self, PyObject* args, PyObject* kwargs);
PyObject* CallBaseInplace(PyObject* self, PyObject* args, PyObject* kwargs);

// rebase_history(x, y): replaces y by x in the backward graph. Throws if x is a
// leaf that requires a gradient.
void RebaseHistory(const py::object& x, const py::object& y);

}  // namespace native_ops
