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

// A call of an operator, which has run when it is made. In place it has changed
// the input, which must be contiguous.
class Call {
 public:
  Call(const OpSpec& spec,
       PyObject* const* args,
       Py_ssize_t count,
       bool inplace);

  // Records the gradient of the results.
  void Record();

  // The results, one or a tuple, as new Tensors; that of an in-place call
  // shares the memory of the input.
  PyObject* Results() const;

  // The input that an in-place call has changed.
  PyObject* ChangedInput() const;

 private:
  void Run(bool inplace);

  const Span span_;
  const OpSpec& spec_;
  const std::optional<CastArguments> cast_;
  PyObject* const* const args_;
  const Arguments arguments_;
  paddle::small_vector<paddle::Tensor, 2> results_;
};

// f(inputs..., attrs...): the result, or a tuple of them; of a gradient always
// a tuple. An input of one whose elements it does not read may be a shape.
PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count);

// f_(inputs..., attrs...): the same written into the in-place input, which
// must be contiguous and is returned; NotImplemented where it is not.
PyObject* CallInplace(PyObject* self, PyObject* const* args, Py_ssize_t count);

// record(inputs..., attrs..., inplace): the result, whose gradient is recorded.
// With `inplace` it shares the memory of the in-place input, which must be
// contiguous.
PyObject* CallRecord(PyObject* self, PyObject* const* args, Py_ssize_t count);

// take_history(x, y): x becomes the result that y is of the backward graph.
PyObject* TakeHistory(PyObject*, PyObject* const* args, Py_ssize_t count);

PyObject* BumpVersion(PyObject*, PyObject* object);

// direct(entry, inplace, parameters, decide, fill, originals): the Python API
// without Python in between: a function that takes the arguments of the Python
// function as they were given and runs the operator, if all is as usual:
// dygraph, dense CPU Tensors, nothing that watches or changes calls. Everything
// else, errors among it, it answers with NotImplemented: then the Python
// function is called, and says what is wrong.
// parameters: of the Python function, each (name,) or (name, default). The
// first ones are the Tensors of the entry. An argument for one of the others
// has the type of its default, or int. decide: None where the other arguments
// are the entry's attributes, or a function of x and them that returns the
// entry to run and its attributes. fill: None, or a function of x and a number
// that makes the last Tensor. originals: modules and names of what the Python
// function calls; who puts another function there wants that one called.
PyObject* MakeDirect(PyObject*, PyObject* const* args, Py_ssize_t count);

}  // namespace native_ops
