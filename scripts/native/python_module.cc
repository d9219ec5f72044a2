// paddle._native_lib: a Python function for every operator, which runs its
// kernel on dense CPU Tensors without building a graph; what the Python
// wrapper needs besides; and the registration of the custom operators.

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <memory>

#include "paddle/phi/api/include/tensor.h"
#include "paddle/utils/pybind.h"
#include "runtime.h"

namespace native_ops {
namespace {

using paddle::Tensor;
using phi::DenseTensor;

// The arguments are not what the direct call serves: the wrapper decides.
struct NotServed {};
// A Python exception has been set.
struct PythonError {};

PyObject* ExceptionType(common::ErrorCode code) {
  switch (code) {
    case common::ErrorCode::INVALID_ARGUMENT:
      return PyExc_ValueError;
    case common::ErrorCode::INVALID_TYPE:
      return PyExc_TypeError;
    case common::ErrorCode::OUT_OF_RANGE:
      return PyExc_IndexError;
    case common::ErrorCode::UNIMPLEMENTED:
      return PyExc_NotImplementedError;
    case common::ErrorCode::RESOURCE_EXHAUSTED:
      return PyExc_MemoryError;
    default:
      return PyExc_RuntimeError;
  }
}

// The sentence of an error, without C++ stack, source line and error code.
std::string Sentence(const common::enforce::EnforceNotMet& error) {
  std::string text = error.simple_error_str();
  const size_t start = text.find(") ");
  if (!text.empty() && text[0] == '(' && start != std::string::npos) {
    text = text.substr(start + 2);
  }
  const size_t end = text.find("\n  [Hint:");
  if (end != std::string::npos) text = text.substr(0, end);
  const size_t source = text.find(" (at ");
  if (source != std::string::npos) text = text.substr(0, source);
  return text;
}

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
    PyErr_SetString(ExceptionType(error.code()), Sentence(error).c_str());
  } catch (const std::bad_alloc& error) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

void Check() {
  if (PyErr_Occurred()) throw PythonError();
}

// The name of an argument goes into the error.
Attr ReadInt(const OpSpec& spec, const AttrSpec& attr, PyObject* value) {
  PyObject* index = PyNumber_Index(value);
  if (index == nullptr) throw PythonError();
  int overflow = 0;
  const int64_t found = PyLong_AsLongLongAndOverflow(index, &overflow);
  Py_DECREF(index);
  const bool fits = overflow == 0 && (attr.type == AttrType::kInt64 ||
                                      found == static_cast<int>(found));
  if (!fits) {
    PyErr_Format(PyExc_ValueError,
                 "(%s) %s is too large: %R.",
                 spec.name,
                 attr.name,
                 value);
    throw PythonError();
  }
  if (attr.type == AttrType::kInt) return static_cast<int>(found);
  return found;
}

// Python's own types, and what numpy makes of them (by __complex__, __float__
// or __index__).
phi::Scalar ReadScalar(const OpSpec& spec,
                       const AttrSpec& attr,
                       PyObject* value) {
  if (PyBool_Check(value)) return phi::Scalar(value == Py_True);
  if (PyFloat_Check(value)) return phi::Scalar(PyFloat_AS_DOUBLE(value));
  if (PyIndex_Check(value)) {
    AttrSpec as_int64 = attr;
    as_int64.type = AttrType::kInt64;
    return phi::Scalar(std::get<int64_t>(ReadInt(spec, as_int64, value)));
  }
  if (PyComplex_Check(value)) {
    const Py_complex found = PyComplex_AsCComplex(value);
    return phi::Scalar(phi::dtype::complex<double>(found.real, found.imag));
  }
  const double found = PyFloat_AsDouble(value);
  Check();
  return phi::Scalar(found);
}

Attr ReadAttr(const OpSpec& spec, const AttrSpec& attr, PyObject* value) {
  switch (attr.type) {
    case AttrType::kBool: {
      const int found = PyObject_IsTrue(value);
      Check();
      return found != 0;
    }
    case AttrType::kInt:
    case AttrType::kInt64:
      return ReadInt(spec, attr, value);
    case AttrType::kFloat: {
      const double found = PyFloat_AsDouble(value);
      Check();
      return static_cast<float>(found);
    }
    case AttrType::kString: {
      const char* found = PyUnicode_AsUTF8(value);
      if (found == nullptr) throw PythonError();
      return std::string(found);
    }
    case AttrType::kInt64s:
      return py::reinterpret_borrow<py::object>(value)
          .cast<std::vector<int64_t>>();
    case AttrType::kScalar:
      return ReadScalar(spec, attr, value);
  }
  return false;
}

Tensor& TensorOf(PyObject* object) {
  return reinterpret_cast<paddle::pybind::TensorObject*>(object)->tensor;
}

// The dense CPU Tensor that an argument is, or null for None.
DenseTensor* ReadTensor(const OpSpec& spec,
                        const InputSpec& input,
                        PyObject* object) {
  if (object == Py_None && input.optional) return nullptr;
  if (!paddle::pybind::PyCheckTensor(object)) throw NotServed();
  const Tensor& tensor = TensorOf(object);
  if (!tensor.is_dense_tensor()) throw NotServed();
  auto* dense = static_cast<DenseTensor*>(tensor.impl().get());
  if (!input.needs_buffer) return dense;
  if (!dense->initialized()) {
    if (input.optional) return nullptr;
    PADDLE_ENFORCE_EQ(
        dense->numel() == 0 && dense->dtype() != phi::DataType::UNDEFINED,
        true,
        common::errors::InvalidArgument(
            "(%s) %s holds no data.", spec.name, input.name));
  } else if (dense->place().GetType() != phi::AllocationType::CPU) {
    throw NotServed();
  }
  return dense;
}

// The parsed arguments of one call.
struct Arguments {
  std::vector<DenseTensor> copies;
  Inputs inputs;
  Attrs attrs;

  Arguments(const OpSpec& spec, PyObject* const* args)
      : copies(spec.inputs.size()) {
    inputs.reserve(spec.inputs.size());
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      const DenseTensor* tensor = ReadTensor(spec, spec.inputs[i], args[i]);
      if (tensor != nullptr && spec.inputs[i].needs_buffer) {
        tensor = AsContiguous(*tensor, &copies[i]);
      }
      inputs.push_back(tensor);
    }
    for (size_t i = 0; i < spec.attrs.size(); ++i) {
      attrs.push_back(
          ReadAttr(spec, spec.attrs[i], args[spec.inputs.size() + i]));
    }
  }
};

const OpSpec& SpecOf(PyObject* self) {
  return *static_cast<const OpSpec*>(PyCapsule_GetPointer(self, nullptr));
}

void CheckCount(const OpSpec& spec, Py_ssize_t found) {
  const size_t wanted = spec.inputs.size() + spec.attrs.size();
  if (found == static_cast<Py_ssize_t>(wanted)) return;
  PyErr_Format(PyExc_TypeError,
               "(%s) %zu arguments expected, but %zd given.",
               spec.name,
               wanted,
               found);
  throw PythonError();
}

// f(inputs..., attrs...): the result, or a tuple of them.
PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    Arguments arguments(spec, args);
    const size_t size = spec.outputs.size();
    std::vector<std::shared_ptr<DenseTensor>> tensors;
    Outputs outputs;
    for (size_t i = 0; i < size; ++i) {
      tensors.push_back(std::make_shared<DenseTensor>());
      outputs.push_back(tensors.back().get());
    }
    {
      py::gil_scoped_release release;
      Run(spec, arguments.inputs, arguments.attrs, outputs);
    }
    if (size == 1) return paddle::pybind::ToPyObject(Tensor(tensors[0]));
    PyObject* tuple = PyTuple_New(size);
    for (size_t i = 0; i < size; ++i) {
      PyTuple_SET_ITEM(
          tuple, i, paddle::pybind::ToPyObject(Tensor(tensors[i])));
    }
    return tuple;
  });
}

// f_(inputs..., attrs...): the same written into the in-place input, which
// must be contiguous; NotImplemented where it is not.
PyObject* CallInplace(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    Arguments arguments(spec, args);
    const size_t i = spec.inplace_input;
    if (arguments.inputs[i] == &arguments.copies[i]) throw NotServed();
    {
      py::gil_scoped_release release;
      RunInplace(spec, arguments.inputs, arguments.attrs);
    }
    TensorOf(args[i]).bump_inplace_version();
    Py_RETURN_NONE;
  });
}

// infer(shapes, dtypes, attrs...): the shapes of the outputs. Shapes may hold
// -1. Called before a static graph is built, where an exception out of C++
// would end the process.
PyObject* CallInfer(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    const auto shapes =
        py::reinterpret_borrow<py::object>(args[0]).cast<Shapes>();
    const auto dtypes =
        py::reinterpret_borrow<py::object>(args[1]).cast<std::vector<int>>();
    std::vector<DenseTensor> tensors;
    tensors.reserve(shapes.size());
    Inputs inputs;
    for (size_t i = 0; i < shapes.size(); ++i) {
      tensors.push_back(
          MetaOnly(shapes[i], static_cast<phi::DataType>(dtypes[i])));
      inputs.push_back(&tensors.back());
    }
    Attrs attrs;
    for (size_t i = 0; i < spec.attrs.size(); ++i) {
      attrs.push_back(ReadAttr(spec, spec.attrs[i], args[2 + i]));
    }
    py::list result;
    for (const DenseTensor& output : InferOutputs(spec, inputs, attrs)) {
      result.append(common::vectorize<int64_t>(output.dims()));
    }
    return result.release().ptr();
  });
}

// A Tensor without elements that tells a gradient the shape of another one.
PyObject* ShapeOf(PyObject*, PyObject* object) {
  return Guarded([&]() -> PyObject* {
    if (!paddle::pybind::PyCheckTensor(object)) throw NotServed();
    const Tensor& tensor = TensorOf(object);
    if (!tensor.is_dense_tensor()) throw NotServed();
    return paddle::pybind::ToPyObject(Tensor(std::make_shared<DenseTensor>(
        ShapeCarrier(*static_cast<DenseTensor*>(tensor.impl().get())))));
  });
}

// take_history(x, y): x becomes, for autograd, what y is.
PyObject* TakeHistory(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    if (count != 2 || !paddle::pybind::PyCheckTensor(args[0]) ||
        !paddle::pybind::PyCheckTensor(args[1])) {
      throw NotServed();
    }
    TensorOf(args[0]).set_autograd_meta(
        TensorOf(args[1]).mutable_autograd_meta());
    Py_RETURN_NONE;
  });
}

PyObject* BumpVersion(PyObject*, PyObject* object) {
  return Guarded([&]() -> PyObject* {
    if (!paddle::pybind::PyCheckTensor(object)) throw NotServed();
    TensorOf(object).bump_inplace_version();
    Py_RETURN_NONE;
  });
}

PyObject* third_order_hook = nullptr;

void AskThirdOrderHook(const std::vector<Tensor>& inputs, Tensor* output) {
  py::gil_scoped_acquire acquire;
  py::list tensors;
  for (const Tensor& input : inputs) {
    if (input.initialized()) {
      tensors.append(
          py::reinterpret_steal<py::object>(paddle::pybind::ToPyObject(input)));
    }
  }
  const py::object found =
      py::reinterpret_borrow<py::object>(third_order_hook)(tensors);
  if (found.is_none()) return;
  output->set_autograd_meta(TensorOf(found.ptr()).mutable_autograd_meta());
}

// set_third_order_hook(f): f(inputs) returns the Tensor whose history the
// result of a second-order gradient takes, or None.
PyObject* SetThirdOrderHook(PyObject*, PyObject* hook) {
  Py_INCREF(hook);
  Py_XSETREF(third_order_hook, hook);
  SetGuardThirdOrder(AskThirdOrderHook);
  Py_RETURN_NONE;
}

PyMethodDef kCallOp = {
    "call", reinterpret_cast<PyCFunction>(CallOp), METH_FASTCALL, ""};
PyMethodDef kCallInplace = {
    "call_", reinterpret_cast<PyCFunction>(CallInplace), METH_FASTCALL, ""};
PyMethodDef kCallInfer = {
    "infer", reinterpret_cast<PyCFunction>(CallInfer), METH_FASTCALL, ""};
PyMethodDef kFunctions[] = {
    {"shape_of", ShapeOf, METH_O, ""},
    {"bump_version", BumpVersion, METH_O, ""},
    {"set_third_order_hook", SetThirdOrderHook, METH_O, ""},
    {"take_history",
     reinterpret_cast<PyCFunction>(TakeHistory),
     METH_FASTCALL,
     ""},
    {}};
PyModuleDef kModule = {
    PyModuleDef_HEAD_INIT, "_native_lib", "", -1, kFunctions};

bool AddOp(PyObject* module, const OpSpec& spec) {
  PyObject* self = PyCapsule_New(const_cast<OpSpec*>(&spec), nullptr, nullptr);
  if (self == nullptr) return false;
  const auto add = [&](const std::string& name, PyMethodDef* def) {
    PyObject* function = PyCFunction_NewEx(def, self, nullptr);
    return PyModule_AddObject(module, name.c_str(), function) == 0;
  };
  const std::string name = spec.name;
  return add(name, &kCallOp) && add("infer_" + name, &kCallInfer) &&
         (spec.inplace_input < 0 || add(name + "_", &kCallInplace));
}

}  // namespace
}  // namespace native_ops

PyMODINIT_FUNC PyInit__native_lib() {
  PyObject* module = PyModule_Create(&native_ops::kModule);
  if (module == nullptr) return nullptr;
  PyModule_AddStringConstant(
      module, "no_third_order", native_ops::kNoThirdOrder);
  for (const native_ops::OpSpec* spec : native_ops::BackwardOps()) {
    native_ops::AdoptGradientKernels(*spec);
  }
  PyModule_AddStringConstant(
      module, "paddle_version", native_ops::kPaddleVersion);
  for (const native_ops::OpSpec* spec : native_ops::ForwardOps()) {
    if (!native_ops::AddOp(module, *spec)) return nullptr;
  }
  return module;
}
