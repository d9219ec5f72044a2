// Between Python objects and attributes, and C++ exceptions to Python ones.
#pragma once

#include <Python.h>

#include <string>
#include <vector>

#include "runtime.h"

namespace native_glue {

// Owns one reference; throws if it is given none.
class PyRef {
 public:
  explicit PyRef(PyObject* object);
  ~PyRef() { Py_XDECREF(object_); }
  PyRef(const PyRef&) = delete;
  PyRef& operator=(const PyRef&) = delete;
  PyObject* get() const { return object_; }

 private:
  PyObject* object_;
};

// Thrown when Python has an error set already.
struct PythonError {};

// All of these throw a typed error that names the op and the argument.
AttrValue ReadAttr(const Entry& entry, const AttrSpec& attr, PyObject* object);
int64_t ReadInt(const char* op, const char* name, PyObject* object);
std::vector<int64_t> ReadInts(const char* op,
                              const char* name,
                              PyObject* object);

// New references.
PyObject* AttrObject(const AttrValue& value);
PyObject* IntList(const std::vector<int64_t>& values);

// Turns the exception being handled into a Python error; returns null.
PyObject* SetPythonError();

}  // namespace native_glue
