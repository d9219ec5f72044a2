#include "python/python_args.h"

#include <utility>

namespace native_ops {

using phi::DenseTensor;

namespace {

// In the order in which an exception is looked up: the first that it is one of.
const std::pair<common::ErrorCode, PyObject**> kErrorKinds[] = {
    {common::ErrorCode::INVALID_ARGUMENT, &PyExc_ValueError},
    {common::ErrorCode::INVALID_TYPE, &PyExc_TypeError},
    {common::ErrorCode::OUT_OF_RANGE, &PyExc_IndexError},
    {common::ErrorCode::UNIMPLEMENTED, &PyExc_NotImplementedError},
    {common::ErrorCode::RESOURCE_EXHAUSTED, &PyExc_MemoryError},
    {common::ErrorCode::EXTERNAL, &PyExc_OSError},  // of a hook, with its text
    {common::ErrorCode::PRECONDITION_NOT_MET, &PyExc_RuntimeError},
};

// The sentence of an error, without C++ stack, source line and error code.
std::string Sentence(const common::enforce::EnforceNotMet& error) {
  std::string text = error.simple_error_str();
  const size_t start = text.find(") ");
  if (!text.empty() && text[0] == '(' && start != std::string::npos) {
    text = text.substr(start + 2);
  }
  text = text.substr(0, text.find("\n  [Hint:"));
  return text.substr(0, text.find(" (at "));
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
                 "(%s) %s must fit into %d bits, but received %R.",
                 spec.name,
                 attr.name,
                 attr.type == AttrType::kInt ? 32 : 64,
                 value);
    throw PythonError();
  }
  if (attr.type == AttrType::kInt) return static_cast<int>(found);
  return found;
}

// What a wrong argument should have been, in the order of AttrType.
constexpr const char* kTypeNames[] = {
    "a bool", "an int", "an int", "a float", "a str"};

// The Python number that a numpy scalar, a 0-D array or a Tensor holds.
py::object Number(PyObject* value) {
  const auto object = py::reinterpret_borrow<py::object>(value);
  const bool is_plain = PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
                        !py::hasattr(object, "item");
  return is_plain ? object : object.attr("item")();
}

Attr ReadAs(const OpSpec& spec, const AttrSpec& attr, PyObject* value) {
  switch (attr.type) {
    case AttrType::kBool: {
      if (PyBool_Check(value)) return value == Py_True;
      const py::object number = Number(value);
      if (!PyBool_Check(number.ptr())) throw py::type_error();
      return number.ptr() == Py_True;
    }
    case AttrType::kInt:
    case AttrType::kInt64:
      return ReadInt(spec, attr, value);
    case AttrType::kFloat: {
      const double found = PyFloat_AsDouble(value);
      if (PyErr_Occurred()) throw PythonError();
      return static_cast<float>(found);
    }
    case AttrType::kString: {
      const char* found = PyUnicode_AsUTF8(value);
      if (found == nullptr) throw PythonError();
      return std::string(found);
    }
  }
  return false;
}

}  // namespace

void SetPythonError(const common::enforce::EnforceNotMet& error) {
  PyObject* found = PyExc_RuntimeError;
  for (const auto& [code, type] : kErrorKinds) {
    if (code == error.code()) found = *type;
  }
  PyErr_SetString(found, Sentence(error).c_str());
}

void ThrowAsPaddle(const std::string& name,
                   const py::error_already_set& error) {
  const std::string text = py::str(error.value());
  for (const auto& [code, type] : kErrorKinds) {
    if (error.matches(*type)) PADDLE_THROW(common::ErrorSummary(code, text));
  }
  PADDLE_THROW(common::errors::PreconditionNotMet(
      "(%s) its gradient failed: %s", name, error.what()));
}

const paddle::Tensor& CheckedTensor(PyObject* object) {
  if (!paddle::pybind::PyCheckTensor(object)) throw NotServed();
  const paddle::Tensor& tensor = TensorOf(object);
  if (!tensor.defined()) throw NotServed();
  return tensor;
}

DenseTensor* ReadTensor(const OpSpec& spec,
                        const InputSpec& input,
                        PyObject* object) {
  if (object == Py_None && input.optional) return nullptr;
  const paddle::Tensor& tensor = CheckedTensor(object);
  if (!tensor.is_dense_tensor()) throw NotServed();
  auto* dense = static_cast<DenseTensor*>(tensor.impl().get());
  if (!input.needs_buffer) return dense;
  if (!dense->initialized()) {
    if (input.optional) return nullptr;
    if (dense->numel() != 0 || dense->dtype() == phi::DataType::UNDEFINED) {
      PADDLE_THROW(common::errors::InvalidArgument(
          "(%s) %s holds no data.", spec.name, input.name));
    }
  } else if (dense->place().GetType() != phi::AllocationType::CPU) {
    throw NotServed();
  }
  return dense;
}

Attr ReadAttr(const OpSpec& spec, const AttrSpec& attr, PyObject* value) {
  try {
    return ReadAs(spec, attr, value);
  } catch (const PythonError&) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw;
    PyErr_Clear();
  } catch (const py::cast_error&) {
  } catch (const py::type_error&) {
  } catch (const py::error_already_set&) {
  }
  PyErr_Format(PyExc_TypeError,
               "(%s) %s must be %s, but received %R of type %s.",
               spec.name,
               attr.name,
               kTypeNames[static_cast<size_t>(attr.type)],
               value,
               Py_TYPE(value)->tp_name);
  throw PythonError();
}

Attrs ReadAttrs(const OpSpec& spec, PyObject* const* values) {
  Attrs attrs;
  for (size_t i = 0; i < spec.attrs.size(); ++i) {
    attrs.push_back(ReadAttr(spec, spec.attrs[i], values[i]));
  }
  return attrs;
}

const OpSpec& SpecOf(PyObject* self) {
  void* const spec = PyCapsule_GetPointer(self, nullptr);
  if (spec == nullptr) throw PythonError();
  return *static_cast<const OpSpec*>(spec);
}

void CheckCount(const char* function, Py_ssize_t found, size_t wanted) {
  if (found == static_cast<Py_ssize_t>(wanted)) return;
  PyErr_Format(PyExc_TypeError,
               "(%s) %zu arguments expected, but %zd given.",
               function,
               wanted,
               found);
  throw PythonError();
}

void CheckCount(const OpSpec& spec, Py_ssize_t found, size_t extra) {
  CheckCount(spec.name, found, spec.inputs.size() + spec.attrs.size() + extra);
}

paddle::Tensor& NeedTensor(const char* function, PyObject* object) {
  if (paddle::pybind::PyCheckTensor(object) && TensorOf(object).defined()) {
    return TensorOf(object);
  }
  PyErr_Format(PyExc_TypeError,
               "(%s) a Tensor that holds something expected, but received %R "
               "of type %s.",
               function,
               object,
               Py_TYPE(object)->tp_name);
  throw PythonError();
}

Arguments::Arguments(const OpSpec& spec, PyObject* const* args) {
  inputs.reserve(spec.inputs.size());
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const InputSpec& input = spec.inputs[i];
    const DenseTensor* tensor = ReadTensor(spec, input, args[i]);
    if (tensor != nullptr && input.needs_buffer) {
      tensor = AsContiguous(*tensor, &copies);
    }
    inputs.push_back(tensor);
  }
  attrs = ReadAttrs(spec, args + spec.inputs.size());
}

void Arguments::CheckInplace(const OpSpec& spec, PyObject* const* args) const {
  const int at = spec.inplace_input;
  if (at < 0 || inputs[at] != TensorOf(args[at]).impl().get()) {
    throw NotServed();
  }
}

}  // namespace native_ops
