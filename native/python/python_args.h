// The arguments of a call from Python, and the errors that it ends with.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <list>
#include <string>
#include <vector>

#include "kernels/runtime.h"
#include "paddle/phi/api/include/tensor.h"
#include "paddle/utils/pybind.h"

namespace native_ops {

// The arguments are not what the direct call serves: the wrapper decides.
struct NotServed {};
// A Python exception has been set.
struct PythonError {};

// The Python exception for an error of the framework.
void SetPythonError(const common::enforce::EnforceNotMet& error);

// The error of the framework that a Python exception, of the gradient of that
// name, is while C++ unwinds.
[[noreturn]] void ThrowAsPaddle(const std::string& name,
                                const py::error_already_set& error);

// Calls f and turns what it throws into a Python exception.
template <typename F>
PyObject* Guarded(const F& f) {
  try {
    return f();
  } catch (const NotServed&) {
    Py_RETURN_NOTIMPLEMENTED;
  } catch (const PythonError&) {
    return nullptr;
  } catch (const common::enforce::EnforceNotMet& error) {
    SetPythonError(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

// An entry of a module for a C function of one of Python's calling conventions.
// Python learns from the flags which one; the cast goes by way of void (*)(),
// as its documentation says.
template <typename F>
PyMethodDef MethodOf(const char* name, F* function, int flags) {
  return {name,
          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
          flags,
          ""};
}

inline paddle::Tensor& TensorOf(PyObject* object) {
  return reinterpret_cast<paddle::pybind::TensorObject*>(object)->tensor;
}

// The Tensor that an argument is, which holds something.
const paddle::Tensor& CheckedTensor(PyObject* object);

// The dense CPU Tensor that an argument is, or null for None.
phi::DenseTensor* ReadTensor(const OpSpec& spec,
                             const InputSpec& input,
                             PyObject* object);

// A value of the type that the entry wants, or an error that names the
// operator and the argument.
Attr ReadAttr(const OpSpec& spec, const AttrSpec& attr, PyObject* value);

// All attributes of an entry, which stand at `values`.
Attrs ReadAttrs(const OpSpec& spec, PyObject* const* values);

// The entry of the function whose `self` this is.
const OpSpec& SpecOf(PyObject* self);

// How many arguments a call has; an error that names `function` otherwise.
void CheckCount(const char* function, Py_ssize_t found, size_t wanted);

// A call must have the entry's arguments, and `extra` more.
void CheckCount(const OpSpec& spec, Py_ssize_t found, size_t extra = 0);

// A Tensor that holds something; an error that names `function` otherwise.
paddle::Tensor& NeedTensor(const char* function, PyObject* object);

// The parsed arguments of one call. Where elements lie apart, an input is a
// contiguous copy.
struct Arguments {
  std::list<phi::DenseTensor> copies;
  Inputs inputs;
  Attrs attrs;

  Arguments(const OpSpec& spec, PyObject* const* args);

  // An in-place call is served if the input to change is not such a copy.
  void CheckInplace(const OpSpec& spec, PyObject* const* args) const;
};

}  // namespace native_ops
