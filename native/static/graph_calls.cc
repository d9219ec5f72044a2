#include "static/graph_calls.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "python/python_args.h"
#include "static/custom_ops.h"

// What the Python function load_op_meta_info_and_register_op calls for static
// graphs. libpaddle.so exports it, but no header declares it.
using OpMetaInfos =
    std::unordered_map<std::string, std::vector<paddle::OpMetaInfo>>;

namespace paddle::framework {
OpMetaInfos RegisterOperatorWithMetaInfoMap(const OpMetaInfoMap& map,
                                            void* library);
}  // namespace paddle::framework

namespace native_ops {

namespace {

// What the numbers stand for, of which there must be one for each input.
std::vector<phi::DataType> DtypesOf(const OpSpec& spec,
                                    const Shapes& shapes,
                                    const std::vector<int>& numbers) {
  const size_t wanted = spec.inputs.size();
  if (shapes.size() != wanted || numbers.size() != wanted) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %d shapes and dtypes expected, but %d shapes and %d dtypes "
        "given.",
        spec.name,
        wanted,
        shapes.size(),
        numbers.size()));
  }
  std::vector<phi::DataType> dtypes;
  for (const int number : numbers) {
    if (number < 0 || number >= static_cast<int>(kDtypes)) {
      PADDLE_THROW(common::errors::InvalidArgument(
          "(%s) the number of a dtype expected, but received %d.",
          spec.name,
          number));
    }
    dtypes.push_back(static_cast<phi::DataType>(number));
  }
  return dtypes;
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
    const Attrs attrs = ReadAttrs(spec, args + 2);
    const std::vector<phi::DataType> types = DtypesOf(spec, shapes, dtypes);
    return py::cast(InferShapes(spec, shapes, types, attrs)).release().ptr();
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
    paddle::framework::RegisterOperatorWithMetaInfoMap(
        paddle::OpMetaInfoMap::Instance(), nullptr);
    Py_RETURN_NONE;
  });
}

}  // namespace native_ops
