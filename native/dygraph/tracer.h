// What Paddle's tracer of dygraph knows of how calls are run now: whether
// gradients are recorded, and paddle.amp.auto_cast.

#pragma once

#include <vector>

#include "python/python_args.h"

namespace native_ops {

// Whether dygraph records gradients now.
bool HasGrad();

// Whether no static graph is built now.
bool InDygraph();

// Whether a call runs its kernel and nothing else: in dygraph, without
// auto_cast, a profiler or a check of the results.
bool IsPlainDygraph();

// The arguments of a call: under auto_cast, the Tensors in the dtype that
// Paddle's rules give to an operator of that name. An in-place call takes its
// arguments as they are, like Paddle's own.
class CastArguments {
 public:
  CastArguments(const OpSpec& spec, PyObject* const* args, Py_ssize_t count);

  PyObject* const* get() const { return args_; }

 private:
  PyObject* const* args_;
  std::vector<py::object> casts_;
  std::vector<PyObject*> replaced_;
};

}  // namespace native_ops
