// The operators in dygraph: functions of paddle._native_lib whose `self` is the
// entry's capsule. NotImplemented where an input is not a dense Tensor on the
// CPU.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// f(inputs..., attrs...): the result, or a tuple of them.
PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count);

// f_(inputs..., attrs...): the same written into the in-place input, which
// must be contiguous and is returned; NotImplemented where it is not.
PyObject* CallInplace(PyObject* self, PyObject* const* args, Py_ssize_t count);

// record(inputs..., attrs..., inplace): the result, whose gradient is recorded.
// With `inplace` it shares the memory of the in-place input, which must be
// contiguous.
PyObject* CallRecord(PyObject* self, PyObject* const* args, Py_ssize_t count);

// take_history(x, y): x becomes the result that y is of the backward graph.
PyObject* TakeHistory(PyObject*, PyObject* const* args, Py_ssize_t count);

PyObject* BumpVersion(PyObject*, PyObject* object);

}  // namespace native_ops
