#include "python/python_args.h"

namespace native_ops {

using phi::DenseTensor;

namespace {

struct ErrorKind {
  common::ErrorCode code;
  PyObject* type;
};

// In the order in which an exception is looked up: the first that it is one of.
const std::vector<ErrorKind>& ErrorKinds() {
  using common::ErrorCode;
  static const std::vector<ErrorKind> kinds = {
      {ErrorCode::INVALID_ARGUMENT, PyExc_ValueError},
      {ErrorCode::INVALID_TYPE, PyExc_TypeError},
      {ErrorCode::OUT_OF_RANGE, PyExc_IndexError},
      {ErrorCode::UNIMPLEMENTED, PyExc_NotImplementedError},
      {ErrorCode::RESOURCE_EXHAUSTED, PyExc_MemoryError},
      {ErrorCode::EXTERNAL, PyExc_OSError},  // of a hook, with its text
      {ErrorCode::PRECONDITION_NOT_MET, PyExc_RuntimeError},
  };
  return kinds;
}

PyObject* ExceptionType(common::ErrorCode code) {
  for (const ErrorKind& kind : ErrorKinds()) {
    if (kind.code == code) return kind.type;
  }
  return PyExc_RuntimeError;
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

const char* TypeName(AttrType type) {
  switch (type) {
    case AttrType::kBool:
      return "a bool";
    case AttrType::kInt:
    case AttrType::kInt64:
      return "an int";
    case AttrType::kFloat:
      return "a float";
    case AttrType::kString:
      return "a str";
  }
  return "";
}

// The Python number that a numpy scalar, a 0-D array or a Tensor holds.
py::object Number(PyObject* value) {
  const auto object = py::reinterpret_borrow<py::object>(value);
  const bool is_plain = PyFloat_CheckExact(value) || PyLong_CheckExact(value) ||
                        PyBool_Check(value) || !py::hasattr(object, "item");
  return is_plain ? object : object.attr("item")();
}

Attr ReadAs(const OpSpec& spec, const AttrSpec& attr, PyObject* value) {
  switch (attr.type) {
    case AttrType::kBool: {
      const py::object number = Number(value);
      if (!PyBool_Check(number.ptr())) throw py::type_error();
      return number.ptr() == Py_True;
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
  }
  return false;
}

}  // namespace

void SetPythonError(const common::enforce::EnforceNotMet& error) {
  PyErr_SetString(ExceptionType(error.code()), Sentence(error).c_str());
}

void ThrowAsPaddle(const std::string& name,
                   const py::error_already_set& error) {
  const std::string text = py::str(error.value());
  for (const ErrorKind& kind : ErrorKinds()) {
    if (error.matches(kind.type)) {
      PADDLE_THROW(common::ErrorSummary(kind.code, text));
    }
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

// The dense CPU Tensor that an argument is, or null for None.
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
               TypeName(attr.type),
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

namespace {

[[noreturn]] void Unexpected(const char* function,
                             const char* expected,
                             PyObject* object) {
  PyErr_Format(PyExc_TypeError,
               "(%s) %s expected, but received %R of type %s.",
               function,
               expected,
               object,
               Py_TYPE(object)->tp_name);
  throw PythonError();
}

}  // namespace

paddle::Tensor& NeedTensor(const char* function, PyObject* object) {
  if (!paddle::pybind::PyCheckTensor(object) || !TensorOf(object).defined()) {
    Unexpected(function, "a Tensor that holds something", object);
  }
  return TensorOf(object);
}

std::string NeedString(const char* function, PyObject* object) {
  if (!PyUnicode_Check(object)) Unexpected(function, "a str", object);
  const char* text = PyUnicode_AsUTF8(object);
  if (text == nullptr) throw PythonError();
  return text;
}

py::list NeedList(const char* function, PyObject* object) {
  if (!PyList_Check(object)) Unexpected(function, "a list", object);
  return py::reinterpret_borrow<py::list>(object);
}

Arguments::Arguments(const OpSpec& spec, PyObject* const* args) {
  inputs.reserve(spec.inputs.size());
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    const InputSpec& input = spec.inputs[i];
    if (!input.needs_buffer && !paddle::pybind::PyCheckTensor(args[i])) {
      const auto shape = py::reinterpret_borrow<py::object>(args[i]);
      copies.push_back(
          MetaOnly(shape.cast<std::vector<int64_t>>(),
                   NeedTensor(spec.name, args[spec.dtype_input]).dtype()));
      inputs.push_back(&copies.back());
      continue;
    }
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
