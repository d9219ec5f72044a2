#include "dygraph/recording.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dygraph/auto_cast.h"
#include "dygraph/grad_node.h"
#include "dygraph/number_check.h"
#include "kernels/instrumentation.h"
#include "python/python_args.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

// The results, as new Tensors; the one of an in-place call shares the memory of
// the input.
std::vector<Tensor> Compute(const OpSpec& spec,
                            const Arguments& arguments,
                            bool inplace) {
  if (inplace) {
    RunInplace(spec, arguments.inputs, arguments.attrs);
    ReportKernel(spec, arguments.inputs);
    const Tensor result(
        std::make_shared<DenseTensor>(*arguments.inputs[spec.inplace_input]));
    CheckNumbers(spec, result, "_");
    return {result};
  }
  std::vector<Tensor> results;
  Outputs outputs;
  for (size_t i = 0; i < spec.outputs.size(); ++i) {
    auto dense = std::make_shared<DenseTensor>();
    outputs.push_back(dense.get());
    results.emplace_back(std::move(dense));
  }
  Run(spec, arguments.inputs, arguments.attrs, outputs);
  ReportKernel(spec, arguments.inputs);
  for (const Tensor& result : results) CheckNumbers(spec, result);
  return results;
}

}  // namespace

PyObject* CallRecord(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count, 1);
    const bool inplace = args[count - 1] == Py_True;
    const Span span(spec.name,
                    inplace ? "_ dygraph" : " dygraph",
                    phi::TracerEventType::Operator);
    std::optional<CastArguments> cast;
    if (!inplace) args = cast.emplace(spec, args, count).get();
    const Arguments arguments(spec, args);
    if (inplace) arguments.CheckInplace(spec, args);
    std::vector<const Tensor*> inputs;
    std::vector<bool> wanted;
    for (size_t i = 0; i < spec.inputs.size(); ++i) {
      inputs.push_back(&TensorOf(args[i]));
      wanted.push_back(WantsGradient(TensorOf(args[i])));
    }
    std::vector<Tensor> results;
    {
      const py::gil_scoped_release release;
      results = Compute(spec, arguments, inplace);
    }
    std::vector<Tensor*> pointers;
    for (Tensor& result : results) pointers.push_back(&result);
    RecordGradient(spec, inputs, wanted, arguments.attrs, pointers);
    if (results.size() == 1) return paddle::pybind::ToPyObject(results[0]);
    py::tuple tuple(results.size());
    for (size_t i = 0; i < results.size(); ++i) {
      tuple[i] = py::reinterpret_steal<py::object>(
          paddle::pybind::ToPyObject(results[i]));
    }
    return tuple.release().ptr();
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

}  // namespace native_ops
