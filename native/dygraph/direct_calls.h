// The Python API without Python in between. A function here takes the arguments
// of the Python functions as they were given and runs the operator, if all is
// as usual: dygraph, dense CPU Tensors, nothing that watches or changes calls.
// Everything else, errors among it, it answers with NotImplemented: then the
// Python function is called, and says what is wrong.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// Adds a function direct_<name> for each API function that has one.
bool AddDirectCalls(PyObject* module);

}  // namespace native_ops
