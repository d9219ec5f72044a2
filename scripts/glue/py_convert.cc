// Between Python objects and attributes, and C++ exceptions to Python ones.
#define PY_SSIZE_T_CLEAN
#include "py_convert.h"

#include <limits>
#include <new>

namespace native_glue {

namespace {

[[noreturn]] void WrongType(const char* op,
                            const char* name,
                            const char* expected,
                            PyObject* object) {
  PyErr_Clear();
  PADDLE_THROW(common::errors::InvalidType(
      "(%s) %s must be %s, but received %s.",
      op,
      name,
      expected,
      Py_TYPE(object)->tp_name));
}

std::string Repr(PyObject* object) {
  const PyRef text(PyObject_Repr(object));
  const char* chars = PyUnicode_AsUTF8(text.get());
  if (chars == nullptr) throw PythonError();
  return chars;
}

int64_t LongValue(const char* op, const char* name, PyObject* object) {
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %s must fit into int64, but received %s.",
        op,
        name,
        Repr(object)));
  }
  return value;
}

int ReadInt32(const char* op, const char* name, PyObject* object) {
  const int64_t value = ReadInt(op, name, object);
  if (value < std::numeric_limits<int>::min() ||
      value > std::numeric_limits<int>::max()) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %s must fit into int32, but received %d.", op, name, value));
  }
  return static_cast<int>(value);
}

// numpy scalars, 0-D arrays and Tensors as the Python number they hold; the
// object itself if it has no item().
PyObject* Item(PyObject* object) {
  PyObject* item = PyObject_CallMethod(object, "item", nullptr);
  if (item == nullptr) {
    PyErr_Clear();
    Py_INCREF(object);
    return object;
  }
  return item;
}

bool ReadBool(const char* op, const char* name, PyObject* object) {
  if (PyBool_Check(object)) return object == Py_True;
  const PyRef item(Item(object));
  if (PyBool_Check(item.get())) return item.get() == Py_True;
  WrongType(op, name, "bool", object);
}

float ReadFloat(const char* op, const char* name, PyObject* object) {
  const PyRef item(Item(object));
  const bool number = PyFloat_Check(item.get()) ||
                      (PyLong_Check(item.get()) && !PyBool_Check(item.get()));
  if (!number) WrongType(op, name, "float", object);
  const double value = PyFloat_AsDouble(item.get());
  if (PyErr_Occurred()) throw PythonError();
  return static_cast<float>(value);
}

std::string ReadString(const char* op, const char* name, PyObject* object) {
  if (!PyUnicode_Check(object)) WrongType(op, name, "str", object);
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text == nullptr) throw PythonError();
  return {text, static_cast<size_t>(size)};
}

bool NumberToScalar(const char* op,
                    const char* name,
                    PyObject* number,
                    phi::Scalar* out) {
  if (PyBool_Check(number)) {
    *out = phi::Scalar(number == Py_True);
  } else if (PyLong_Check(number)) {
    *out = phi::Scalar(LongValue(op, name, number));
  } else if (PyFloat_Check(number)) {
    *out = phi::Scalar(PyFloat_AS_DOUBLE(number));
  } else if (PyComplex_Check(number)) {
    const Py_complex value = PyComplex_AsCComplex(number);
    *out = phi::Scalar(phi::complex128(value.real, value.imag));
  } else {
    return false;
  }
  return true;
}

phi::Scalar ReadScalar(const char* op, const char* name, PyObject* object) {
  phi::Scalar scalar;
  if (NumberToScalar(op, name, object, &scalar)) return scalar;
  const PyRef item(Item(object));
  if (NumberToScalar(op, name, item.get(), &scalar)) return scalar;
  WrongType(op, name, "a bool, int, float or complex number", object);
}

// The sentence without what only a developer of the framework wants: the place
// in the C++ source and the compared C++ expressions.
std::string PlainMessage(const std::string& what) {
  // FLAGS_call_stack_level above 1 asks for all of it.
  if (what.find("C++ Traceback") != std::string::npos) return what;
  std::string text = what.substr(0, what.find("\n  [Hint: "));
  text = text.substr(0, text.rfind(" (at "));
  const size_t last = text.find_last_not_of(" \n");
  return last == std::string::npos ? what : text.substr(0, last + 1);
}

PyObject* PythonType(common::ErrorCode code) {
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

}  // namespace

PyRef::PyRef(PyObject* object) : object_(object) {
  if (object == nullptr) throw PythonError();
}

int64_t ReadInt(const char* op, const char* name, PyObject* object) {
  if (PyBool_Check(object) || PyFloat_Check(object)) {
    WrongType(op, name, "int", object);
  }
  if (PyLong_Check(object)) return LongValue(op, name, object);
  PyObject* index = PyNumber_Index(object);
  if (index == nullptr) WrongType(op, name, "int", object);
  const PyRef owner(index);
  return LongValue(op, name, index);
}

std::vector<int64_t> ReadInts(const char* op,
                              const char* name,
                              PyObject* object) {
  if (!PySequence_Check(object) || PyUnicode_Check(object)) {
    WrongType(op, name, "a list of int", object);
  }
  const Py_ssize_t size = PySequence_Size(object);
  if (size < 0) WrongType(op, name, "a list of int", object);
  std::vector<int64_t> values;
  for (Py_ssize_t i = 0; i < size; ++i) {
    const PyRef item(PySequence_GetItem(object, i));
    values.push_back(ReadInt(op, name, item.get()));
  }
  return values;
}

AttrValue ReadAttr(const Entry& entry, const AttrSpec& attr, PyObject* object) {
  switch (attr.kind) {
    case AttrKind::kBool:
      return ReadBool(entry.name, attr.name, object);
    case AttrKind::kInt:
      return ReadInt32(entry.name, attr.name, object);
    case AttrKind::kInt64:
      return ReadInt(entry.name, attr.name, object);
    case AttrKind::kFloat:
      return ReadFloat(entry.name, attr.name, object);
    case AttrKind::kString:
      return ReadString(entry.name, attr.name, object);
    case AttrKind::kScalar:
      return ReadScalar(entry.name, attr.name, object);
    default:
      return ReadInts(entry.name, attr.name, object);
  }
}

PyObject* IntList(const std::vector<int64_t>& values) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(values.size()));
  for (size_t i = 0; list && i < values.size(); ++i) {
    PyList_SET_ITEM(
        list, static_cast<Py_ssize_t>(i), PyLong_FromLongLong(values[i]));
  }
  return list;
}

PyObject* AttrObject(const AttrValue& value) {
  switch (static_cast<AttrKind>(value.index())) {
    case AttrKind::kBool:
      return PyBool_FromLong(std::get<bool>(value));
    case AttrKind::kInt:
      return PyLong_FromLong(std::get<int>(value));
    case AttrKind::kInt64:
      return PyLong_FromLongLong(std::get<int64_t>(value));
    case AttrKind::kFloat:
      return PyFloat_FromDouble(std::get<float>(value));
    case AttrKind::kString: {
      const auto& text = std::get<std::string>(value);
      return PyUnicode_FromStringAndSize(
          text.data(), static_cast<Py_ssize_t>(text.size()));
    }
    case AttrKind::kScalar:
      return IntList(EncodeScalar(std::get<phi::Scalar>(value)));
    default:
      return IntList(std::get<std::vector<int64_t>>(value));
  }
}

PyObject* SetPythonError() {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const common::enforce::EnforceNotMet& error) {
    PyErr_SetString(PythonType(error.code()),
                    PlainMessage(error.what()).c_str());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
  }
  return nullptr;
}

}  // namespace native_glue
