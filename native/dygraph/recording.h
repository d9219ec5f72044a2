// Python functions beside the plain call of an operator.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// record(inputs..., attrs..., inplace): the result, whose gradient is recorded.
// `self` is the entry's capsule. With `inplace` the result shares the memory of
// the in-place input, which must be contiguous. NotImplemented where an input
// is not a dense Tensor on the CPU.
PyObject* CallRecord(PyObject* self, PyObject* const* args, Py_ssize_t count);

// encode(attrs...): the attributes of the custom operator by name, in its
// order.
PyObject* CallEncode(PyObject* self, PyObject* const* args, Py_ssize_t count);

}  // namespace native_ops
