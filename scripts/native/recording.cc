#include "recording.h"

#include <memory>
#include <string>
#include <vector>

#include "custom_attrs.h"
#include "custom_ops.h"
#include "python_args.h"

namespace native_ops {

using phi::DenseTensor;

namespace {

PyObject* custom_op_runner = nullptr;

template <typename V>
py::object ToPython(const V& value) {
  return py::cast(value);
}

py::object ToPython(const phi::Scalar& value) {
  return py::cast(EncodeScalar(value));
}

// In the order of the custom operator.
std::vector<py::object> EncodeAttrs(const OpSpec& spec,
                                    const Attrs& attrs,
                                    py::object zero_dim,
                                    py::object mode) {
  const CustomOrder order(spec);
  std::vector<py::object> encoded(attrs.size() + 2);
  for (size_t i = 0; i < attrs.size(); ++i) {
    encoded[order.attrs[i]] =
        std::visit([](const auto& value) { return ToPython(value); }, attrs[i]);
  }
  encoded[order.zero_dim] = std::move(zero_dim);
  encoded[order.mode] = std::move(mode);
  return encoded;
}

// The list that the custom operator takes as its mode: what `mode` says, and
// the gradients that nobody wants.
std::string ModeOf(const OpSpec& spec,
                   PyObject* const* args,
                   const std::string& mode) {
  std::string list = mode;
  for (const size_t i : spec.differentiable) {
    const auto tensor = py::reinterpret_borrow<py::object>(args[i]);
    if (tensor.attr("stop_gradient").ptr() == Py_True) {
      list += std::string(",") + spec.inputs[i].name + "@GRAD";
    }
  }
  return list;
}

// A Tensor without elements that tells a gradient the shape of another one.
py::object ShapeOf(const DenseTensor& tensor) {
  auto carrier = std::make_shared<DenseTensor>(ShapeCarrier(tensor));
  return py::reinterpret_steal<py::object>(
      paddle::pybind::ToPyObject(paddle::Tensor(std::move(carrier))));
}

// The first results of a custom call, which are those of the entry.
py::object Results(const OpSpec& spec, const py::object& found) {
  const size_t size = spec.outputs.size();
  if (!py::isinstance<py::list>(found)) return found;
  const auto list = py::reinterpret_borrow<py::list>(found);
  if (size == 1) return list[0];
  py::tuple results(size);
  for (size_t i = 0; i < size; ++i) results[i] = list[i];
  return results;
}

}  // namespace

PyObject* CallRecord(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count, 1);
    const size_t inputs = spec.inputs.size();
    std::vector<const DenseTensor*> tensors;
    for (size_t i = 0; i < inputs; ++i) {
      tensors.push_back(ReadTensor(spec, spec.inputs[i], args[i]));
    }
    const Attrs attrs = ReadAttrs(spec, args + inputs);
    const auto wanted =
        py::reinterpret_borrow<py::str>(args[inputs + spec.attrs.size()]);

    const std::string name = std::string(spec.name) + kDygraphSuffix;
    AdmitToDygraph(name);
    std::vector<py::object> call;
    call.push_back(py::str(name));
    for (size_t i = 0; i < inputs; ++i) {
      call.push_back(py::reinterpret_borrow<py::object>(args[i]));
    }
    for (const size_t i : spec.shape_inputs)
      call.push_back(ShapeOf(*tensors[i]));
    for (py::object& attr : EncodeAttrs(
             spec, attrs, py::str(), py::str(ModeOf(spec, args, wanted)))) {
      call.push_back(std::move(attr));
    }
    py::tuple tuple(call.size());
    for (size_t i = 0; i < call.size(); ++i) tuple[i] = std::move(call[i]);
    PyObject* found = PyObject_Call(custom_op_runner, tuple.ptr(), nullptr);
    if (found == nullptr) throw PythonError();
    return Results(spec, py::reinterpret_steal<py::object>(found))
        .release()
        .ptr();
  });
}

PyObject* CallEncode(PyObject* self, PyObject* const* args, Py_ssize_t) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    const size_t size = spec.attrs.size();
    const std::vector<std::string> declared = DeclaredAttrs(spec);
    const auto values =
        EncodeAttrs(spec,
                    ReadAttrs(spec, args),
                    py::reinterpret_borrow<py::object>(args[size]),
                    py::reinterpret_borrow<py::object>(args[size + 1]));
    py::dict result;
    for (size_t i = 0; i < declared.size(); ++i) {
      result[py::str(declared[i].substr(0, declared[i].find(':')))] = values[i];
    }
    return result.release().ptr();
  });
}

PyObject* SetCustomOpRunner(PyObject*, PyObject* runner) {
  Py_INCREF(runner);
  Py_XSETREF(custom_op_runner, runner);
  Py_RETURN_NONE;
}

}  // namespace native_ops
