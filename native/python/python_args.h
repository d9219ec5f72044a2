// Parsing of Python arguments with the functions of Paddle's generated code,
// and translation of C++ exceptions.

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

// Returns f(), or null with a Python exception set if f throws.
template <typename F>
PyObject* TranslateExceptions(const F& f) {
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

// Returns the input Tensors in the tuple `args` of a dygraph call.
TensorPointers ReadTensors(const OpSpec& spec, PyObject* args);

// Throws unless the inputs are Values of a static graph.
void CheckValues(const OpSpec& spec, PyObject* args);

// Returns the attributes, which start at args[first].
Attrs ReadAttrs(const OpSpec& spec, PyObject* args, Py_ssize_t first);

// Throws TypeError for fewer than `min_args` arguments, for which Paddle's
// generated code reads past the tuple. Surplus arguments are ignored, as in
// Paddle.
void CheckCount(const char* function, size_t num_args, size_t min_args);

}  // namespace native_ops
