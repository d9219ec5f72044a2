#include "static/graph_calls.h"

#include <vector>

#include "python/python_args.h"
#include "static/custom_ops.h"

namespace native_ops {

using phi::DenseTensor;

namespace {

// A shape and the number of a dtype for each input.
void CheckMetas(const OpSpec& spec,
                const Shapes& shapes,
                const std::vector<int>& dtypes) {
  const size_t wanted = spec.inputs.size();
  if (shapes.size() != wanted || dtypes.size() != wanted) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %d shapes and dtypes expected, but %d shapes and %d dtypes "
        "given.",
        spec.name,
        wanted,
        shapes.size(),
        dtypes.size()));
  }
  for (const int dtype : dtypes) {
    if (dtype < 0 || dtype >= static_cast<int>(kDtypes)) {
      PADDLE_THROW(common::errors::InvalidArgument(
          "(%s) the number of a dtype expected, but received %d.",
          spec.name,
          dtype));
    }
  }
}

}  // namespace

PyObject* CallInfer(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec.name, count, 2 + spec.attrs.size());
    const auto shapes =
        py::reinterpret_borrow<py::object>(args[0]).cast<Shapes>();
    const auto dtypes =
        py::reinterpret_borrow<py::object>(args[1]).cast<std::vector<int>>();
    CheckMetas(spec, shapes, dtypes);
    std::vector<DenseTensor> tensors;
    tensors.reserve(shapes.size());
    Inputs inputs;
    for (size_t i = 0; i < shapes.size(); ++i) {
      tensors.push_back(
          MetaOnly(shapes[i], static_cast<phi::DataType>(dtypes[i])));
      inputs.push_back(&tensors.back());
    }
    const Attrs attrs = ReadAttrs(spec, args + 2);
    py::list result;
    for (const DenseTensor& output : InferOutputs(spec, inputs, attrs)) {
      result.append(common::vectorize<int64_t>(output.dims()));
    }
    return result.release().ptr();
  });
}

PyObject* CallEncode(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec.name, count, spec.attrs.size());
    const Attrs attrs = ReadAttrs(spec, args);
    py::dict result;
    for (size_t i = 0; i < attrs.size(); ++i) {
      result[py::str(spec.attrs[i].name)] = std::visit(
          [](const auto& value) -> py::object { return py::cast(value); },
          attrs[i]);
    }
    return result.release().ptr();
  });
}

PyObject* RegisterCustomOps(PyObject*, PyObject*) {
  return Guarded([&]() -> PyObject* {
    RegisterWithFramework();
    Py_RETURN_NONE;
  });
}

}  // namespace native_ops
