// Gradients that Python computes: a node of Paddle's backward graph that calls
// back, for distributed Tensors.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// record_callback(name, backward, inputs, results): the gradients of `results`
// go through backward(create_graph, gradients), which returns one for each of
// `inputs`. None stands for a gradient that is not there, in both directions.
PyObject* RecordCallback(PyObject*, PyObject* const* args, Py_ssize_t count);

// to_distributed(tensor, like): a dense Tensor becomes a replicated one on the
// mesh of `like`, as the inputs of Paddle's own operators do.
PyObject* ToDistributed(PyObject*, PyObject* const* args, Py_ssize_t count);

}  // namespace native_ops
