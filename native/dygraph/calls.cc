#include "dygraph/calls.h"

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
  const py::gil_scoped_release release;
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

PyObject* ToPython(const std::vector<Tensor>& results) {
  if (results.size() == 1) return paddle::pybind::ToPyObject(results[0]);
  py::tuple tuple(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    tuple[i] = py::reinterpret_steal<py::object>(
        paddle::pybind::ToPyObject(results[i]));
  }
  return tuple.release().ptr();
}

void Record(const OpSpec& spec,
            PyObject* const* args,
            const Attrs& attrs,
            std::vector<Tensor>* results) {
  std::vector<const Tensor*> inputs;
  std::vector<bool> wanted;
  for (size_t i = 0; i < spec.inputs.size(); ++i) {
    inputs.push_back(&TensorOf(args[i]));
    wanted.push_back(WantsGradient(TensorOf(args[i])));
  }
  std::vector<Tensor*> pointers;
  for (Tensor& result : *results) pointers.push_back(&result);
  RecordGradient(spec, inputs, wanted, attrs, pointers);
}

// A call on new Tensors or, in place, on those that share the input's memory.
PyObject* Call(const OpSpec& spec,
               PyObject* const* args,
               Py_ssize_t count,
               bool inplace,
               bool records) {
  const Span span(spec.name,
                  inplace ? "_ dygraph" : " dygraph",
                  phi::TracerEventType::Operator);
  std::optional<CastArguments> cast;
  if (!inplace) args = cast.emplace(spec, args, count).get();
  const Arguments arguments(spec, args);
  if (inplace) arguments.CheckInplace(spec, args);
  std::vector<Tensor> results = Compute(spec, arguments, inplace);
  if (records) Record(spec, args, arguments.attrs, &results);
  return ToPython(results);
}

}  // namespace

PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    return Call(spec, args, count, /*inplace=*/false, /*records=*/false);
  });
}

PyObject* CallRecord(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count, 1);
    const bool inplace = args[count - 1] == Py_True;
    return Call(spec, args, count, inplace, /*records=*/true);
  });
}

PyObject* CallInplace(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    const Span span(spec.name, "_ dygraph", phi::TracerEventType::Operator);
    const Arguments arguments(spec, args);
    arguments.CheckInplace(spec, args);
    Compute(spec, arguments, /*inplace=*/true);
    PyObject* x = args[spec.inplace_input];
    TensorOf(x).bump_inplace_version();
    Py_INCREF(x);
    return x;
  });
}

PyObject* TakeHistory(PyObject*, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    CheckCount("take_history", count, 2);
    Tensor& x = NeedTensor("take_history", args[0]);
    const auto node =
        egr::EagerUtils::grad_node(NeedTensor("take_history", args[1]));
    PADDLE_ENFORCE_NOT_NULL(
        node,
        common::errors::InvalidArgument(
            "(take_history) the second Tensor must be the result of a call "
            "whose gradient is recorded, but it is not."));
    Connect(&x, /*slot=*/0, node);
    Py_RETURN_NONE;
  });
}

PyObject* BumpVersion(PyObject*, PyObject* object) {
  return Guarded([&]() -> PyObject* {
    NeedTensor("bump_version", object).bump_inplace_version();
    Py_RETURN_NONE;
  });
}

}  // namespace native_ops
