// Python functions that hand a call to the operator's custom operator.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// record(inputs..., attrs..., mode): the result of the custom operator's
// dygraph form, which records the gradient. `self` is the entry's capsule.
// NotImplemented where an input is not a dense Tensor on the CPU.
PyObject* CallRecord(PyObject* self, PyObject* const* args, Py_ssize_t count);

// encode(attrs..., zero_dim, mode): the attributes of the custom operator by
// name, in its order.
PyObject* CallEncode(PyObject* self, PyObject* const* args, Py_ssize_t count);

// set_custom_op_runner(f): f(name, inputs..., attrs...) runs a custom operator.
PyObject* SetCustomOpRunner(PyObject* self, PyObject* runner);

}  // namespace native_ops
