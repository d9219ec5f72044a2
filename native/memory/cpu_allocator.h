// Paddle's caching allocator in front of the one that its CPU Tensors have.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace native_ops {

// Serves the CPU's Tensors from now on, wherever Paddle allocates one. An
// allocator of another kind than Paddle's default stays as it is.
void InstallCachingAllocator();

// empty_cache(): gives idle memory back to the system; how many bytes.
PyObject* EmptyCache(PyObject*, PyObject*);

// memory_usage(): {'limit', 'reserved', 'in_use', 'idle'} in bytes; None where
// nothing was installed.
PyObject* MemoryUsage(PyObject*, PyObject*);

}  // namespace native_ops
