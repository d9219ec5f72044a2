// The operators in dygraph: functions of paddle._native_lib whose `self` is the
// entry's capsule. NotImplemented where an input is not a dense Tensor on the
// CPU.

#pragma once

#include <optional>
#include <vector>

#include "dygraph/tracer.h"
#include "kernels/instrumentation.h"
#include "python/python_args.h"

namespace native_ops {

// Whether a call records, since the gradient of one of the inputs is wanted.
bool Records(const OpSpec& spec, PyObject* const* args);

// A call of an operator, which has run when it is made. In place it has changed
// the input, which must be contiguous.
class Call {
 public:
  Call(const OpSpec& spec,
       PyObject* const* args,
       Py_ssize_t count,
       bool inplace);

  // Records the gradient of the result.
  void Record();

  // The result, as a new Tensor.
  PyObject* Results() const;

  // The input that an in-place call has changed. It becomes what the result is
  // of the backward graph, if that was recorded.
  PyObject* ChangedInput() const;

 private:
  void Run(bool inplace);

  const Span span_;
  const OpSpec& spec_;
  const std::optional<CastArguments> cast_;
  PyObject* const* const args_;
  const Arguments arguments_;
  // Of an in-place call, if its gradient is recorded, with the memory of the
  // input.
  paddle::Tensor result_;
};

// f(inputs..., attrs...): the result, whose gradient is recorded if one is
// wanted.
PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count);

// f_(inputs..., attrs...): the same written into the in-place input, which
// must be contiguous and is returned; NotImplemented where it is not. Not for a
// gradient that needs what is overwritten.
PyObject* CallInplace(PyObject* self, PyObject* const* args, Py_ssize_t count);

// take_history(x, y): x becomes the result that y is of the backward graph.
PyObject* TakeHistory(PyObject*, PyObject* const* args, Py_ssize_t count);

// has_grad(), in_dygraph()
template <bool (*Ask)()>
PyObject* AskMode(PyObject*, PyObject*) {
  return PyBool_FromLong(Ask());
}

// direct(entry, inplace, parameters, decide, fill, originals): the Python API
// without Python in between: a function that takes a tuple and a dict, the
// arguments of the Python function, and runs the operator, if all is as usual:
// dygraph, dense CPU Tensors, nothing that watches or changes calls. Everything
// else, errors among it, it answers with NotImplemented: then the Python
// function is called, and says what is wrong.
// parameters: of the Python function, each (name,) or (name, default). The
// first ones are the Tensors of the entry. An argument for one of the others
// has the type of its default, or int. decide: None where the other arguments
// are the entry's attributes, or a function of x and them that returns the
// entry to run and its attributes. fill: None, or a function of x and a number
// that makes the last Tensor. originals: modules and names of what the Python
// function calls, and the entry that it calls it for, or None; who puts another
// function there wants that one called.
PyObject* MakeDirect(PyObject*, PyObject* const* args, Py_ssize_t count);

}  // namespace native_ops
