// The arguments of the Python functions that direct_calls.cc serves: what each
// function calls them, and which operator they make a call of.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <memory>
#include <vector>

#include "kernels/runtime.h"
#include "paddle/phi/api/include/tensor.h"

namespace native_ops {

// Arguments by position in the signature; null where none is given.
constexpr size_t kMaxParameters = 9;
using Bound = std::array<PyObject*, kMaxParameters>;

struct DirectCall {
  const OpSpec* spec;
  bool inplace;
  std::vector<paddle::Tensor*> tensors;
  Attrs attrs;
  // The one of the tensors that no argument of the call holds, if any.
  std::shared_ptr<paddle::Tensor> made = nullptr;
};

// A function of the Python API.
struct DirectApi {
  const char* name;
  bool inplace;
  size_t required;  // the first so many parameters have no default
  std::vector<PyObject*> parameters;
  // NotServed for arguments that only the Python function understands.
  DirectCall (*read)(const Bound&, bool inplace);
};

const std::vector<DirectApi>& DirectApis();

// NotServed for a call that the signature does not fit, or an alias.
Bound Bind(const DirectApi& api,
           PyObject* const* args,
           Py_ssize_t count,
           PyObject* names);

}  // namespace native_ops
