// The Python API without Python in between: functions that take the arguments
// of the Python functions as they were given and run the operator, if all is as
// usual: dygraph, dense CPU Tensors, nothing that watches or changes calls.
// Everything else, errors among it, they answer with NotImplemented: then the
// Python function is called, and says what is wrong.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// direct(entry, inplace, parameters, decide, fill): such a function.
// parameters: of the Python function, each (name,) or (name, default). The
// first ones are the Tensors of the entry. An argument for one of the others
// has the type of its default, or int. decide: None where the other arguments
// are the entry's attributes, or a function of x and them that returns the
// entry to run and its attributes. fill: None, or a function of x and a number
// that makes the last Tensor.
PyObject* MakeDirect(PyObject*, PyObject* const* args, Py_ssize_t count);

}  // namespace native_ops
