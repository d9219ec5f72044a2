#include "python/python_args.h"

#include "paddle/pir/include/core/value.h"

// Exported by libpaddle.so; no header of the wheel declares them.
namespace paddle::pybind {

Tensor& GetTensorFromArgs(const std::string& op,
                          const std::string& name,
                          PyObject* args,
                          ssize_t at,
                          bool dispensable);
pir::Value CastPyArg2Value(PyObject* object,
                           const std::string& op,
                           size_t at,
                           bool dispensable);
bool CastPyArg2Boolean(PyObject* object, const std::string& op, ssize_t at);
int CastPyArg2Int(PyObject* object, const std::string& op, ssize_t at);
int64_t CastPyArg2Long(PyObject* object, const std::string& op, ssize_t at);
std::string CastPyArg2String(PyObject* object,
                             const std::string& op,
                             ssize_t at);

}  // namespace paddle::pybind

namespace native_ops {

namespace {

// Converts an attribute to the type of `type`.
Attr ReadAttr(const OpSpec& spec,
              const Attr& type,
              PyObject* value,
              Py_ssize_t at) {
  if (std::holds_alternative<bool>(type))
    return paddle::pybind::CastPyArg2Boolean(value, spec.name, at);
  if (std::holds_alternative<int>(type))
    return paddle::pybind::CastPyArg2Int(value, spec.name, at);
  if (std::holds_alternative<int64_t>(type))
    return paddle::pybind::CastPyArg2Long(value, spec.name, at);
  return paddle::pybind::CastPyArg2String(value, spec.name, at);
}

}  // namespace

TensorPointers ReadTensors(const OpSpec& spec, PyObject* args) {
  TensorPointers tensors;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    tensors.push_back(&paddle::pybind::GetTensorFromArgs(
        spec.name, spec.inputs[i].name, args, i, spec.inputs[i].optional));
  }
  return tensors;
}

void CheckValues(const OpSpec& spec, PyObject* args) {
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    paddle::pybind::CastPyArg2Value(
        PyTuple_GET_ITEM(args, i), spec.name, i, spec.inputs[i].optional);
  }
}

Attrs ReadAttrs(const OpSpec& spec, PyObject* args, Py_ssize_t first) {
  Attrs attrs;
  for (const AttrSpec& attr : spec.attrs) {
    const Py_ssize_t at = first + attrs.size();
    PyObject* const value = PyTuple_GET_ITEM(args, at);
    attrs.push_back(ReadAttr(spec, attr.type, value, at));
  }
  return attrs;
}

void CheckCount(const char* function, size_t num_args, size_t min_args) {
  if (num_args >= min_args) return;
  throw py::type_error(
      std::string(function) + "(): " + std::to_string(min_args) +
      " arguments expected, but received " + std::to_string(num_args) + ".");
}

}  // namespace native_ops
