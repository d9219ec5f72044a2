// The arguments of a call from Python, read by Paddle's own functions for
// generated code, and the errors that it ends with.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>

#include "kernels/runtime.h"
#include "paddle/phi/api/include/tensor.h"
#include "paddle/utils/pybind.h"

// Exported by libpaddle.so; no header of the wheel declares it.
namespace paddle::pybind {
void ThrowExceptionToPython(std::exception_ptr error);
}  // namespace paddle::pybind

namespace native_ops {

using TensorPointers = paddle::small_vector<paddle::Tensor*, 4>;

// Raises a Python exception of the framework as an error of the framework, in
// the name of a gradient, while C++ unwinds.
[[noreturn]] void ThrowAsPaddle(const std::string& name,
                                const py::error_already_set& error);

// Calls f and turns what it throws into a Python exception.
template <typename F>
PyObject* Guarded(const F& f) {
  try {
    return f();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (...) {
    paddle::pybind::ThrowExceptionToPython(std::current_exception());
  }
  return nullptr;
}

inline paddle::Tensor& TensorOf(PyObject* object) {
  return reinterpret_cast<paddle::pybind::TensorObject*>(object)->tensor;
}

// The Tensors of a call in dygraph, of which `args` is the tuple.
TensorPointers ReadTensors(const OpSpec& spec, PyObject* args);

// Raises for what is not a Value of a static graph.
void CheckValues(const OpSpec& spec, PyObject* args);

// The attributes at args[first] and behind it.
Attrs ReadAttrs(const OpSpec& spec, PyObject* args, Py_ssize_t first);

// The entry of the function whose `self` this is.
const OpSpec& SpecOf(PyObject* self);

// Raises a TypeError for less than `wanted` arguments. Generated code reads on
// behind the tuple; like it, this ignores what is too many.
void CheckCount(const char* function, size_t found, size_t wanted);

// A Tensor that holds something; an error that names `function` otherwise.
paddle::Tensor& NeedTensor(const char* function, PyObject* object);

}  // namespace native_ops
