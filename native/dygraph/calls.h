// The functions of paddle._C_ops, with the interface of Paddle's generated
// code.

#pragma once

#include "python/python_args.h"

namespace native_ops {

// f(inputs..., attrs...), or f_, which writes the result into the in-place
// input and returns that input. Dispatches to paddle._native_static in static
// graphs and to paddle._native_distributed for distributed Tensors. Keyword
// arguments are ignored.
//
// `self` is a tuple of the capsule of the entry, whether the form is in-place,
// and for Paddle's own operators Paddle's function, else None. That function
// serves most calls. The runtime serves calls that record a gradient if the
// tables have a second-order gradient (scatter), else distributed Tensors
// (masked_fill).
PyObject* CallOp(PyObject* self, PyObject* args, PyObject* kwargs);

}  // namespace native_ops
