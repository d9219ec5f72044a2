// What Python asks of the operators while it builds a static graph.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// infer(shapes, dtypes, attrs...): the shapes of the outputs. Shapes may hold
// -1. Called before a static graph is built, where an exception out of C++
// would end the process.
PyObject* CallInfer(PyObject* self, PyObject* const* args, Py_ssize_t count);

// encode(attrs...): the attributes of the custom operator by name, in its
// order.
PyObject* CallEncode(PyObject* self, PyObject* const* args, Py_ssize_t count);

// register_custom_ops(): makes the custom operators known to static graphs.
PyObject* RegisterCustomOps(PyObject*, PyObject*);

}  // namespace native_ops
