// paddle.amp.auto_cast for the calls from Python.

#pragma once

#include <vector>

#include "python/python_args.h"

namespace native_ops {

// Whether paddle.amp.auto_cast is in force.
bool CastsArguments();

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
