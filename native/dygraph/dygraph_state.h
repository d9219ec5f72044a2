// What Python's framework module knows about how calls are run now.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "kernels/runtime.h"

namespace native_ops {

// Whether a call runs its kernel and nothing else: in dygraph, in a place that
// has the kernels, without auto_cast, a profiler or a check of the results.
bool IsPlainDygraph();

// False if somebody has put another function in the place of the one that
// paddle._C_ops had at start for the operator.
bool IsOurs(const OpSpec& spec, bool inplace);

// Whether dygraph records gradients now.
bool HasGrad();

// watch_dygraph(framework, C_ops, manipulation): the modules where the answers
// come from.
PyObject* WatchDygraph(PyObject* self, PyObject* const* args, Py_ssize_t count);

}  // namespace native_ops
