#include "dygraph/calls.h"

#include <algorithm>
#include <list>
#include <memory>
#include <string>

#include "dygraph/eager_abi.h"
#include "dygraph/grad_node.h"
#include "kernels/instrumentation.h"
#include "paddle/phi/core/distributed/auto_parallel/dist_tensor.h"
#include "paddle/phi/core/meta_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

// Exported by the wheel's libraries; no header of the wheel declares them.
namespace paddle::experimental {

Tensor assign(const Tensor& x, paddle::optional<Tensor*> out);
// Replaces a non-contiguous output by a contiguous one; returns the original.
phi::DenseTensor* ProcessStrideBackup(phi::DenseTensor** out);
// Copies the contiguous output back and deletes it.
void TransStride(phi::DeviceContext* context,
                 phi::DenseTensor* from,
                 phi::DenseTensor* to);

}  // namespace paddle::experimental

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

// Calls function(entry, tensors, attrs) of a Python module.
PyObject* CallInPython(const char* module,
                       const char* function,
                       const OpSpec& spec,
                       PyObject* args,
                       const Attrs& attrs) {
  const auto arguments = py::reinterpret_borrow<py::tuple>(args);
  return py::module_::import(module)
      .attr(function)(&spec,
                      arguments[py::slice(0, spec.inputs.size(), 1)],
                      std::vector<Attr>(attrs.begin(), attrs.end()))
      .release()
      .ptr();
}

void RunKernel(const OpSpec& spec,
               const TensorPointers& tensors,
               const Attrs& attrs,
               DenseTensor* out) {
  std::list<DenseTensor> copies;
  Inputs inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const DenseTensor* dense = DenseOf(spec, spec.inputs[i].name, *tensors[i]);
    inputs.push_back(AsContiguous(*dense, &copies));
  }
  Run(spec, inputs, attrs, {out});
  ReportKernel(spec, inputs);
}

// Whether each input requires a gradient; empty if none does.
GradMask ComputeGradMask(const OpSpec& spec, const TensorPointers& tensors) {
  GradMask grad_mask(tensors.size(), false);
  bool any = false;
  if (!HasGrad()) return {};
  for (const OutputSpec& gradient : spec.gradient().outputs) {
    grad_mask[gradient.forward_input] =
        RequiresGrad(*tensors[gradient.forward_input]);
    any = any || grad_mask[gradient.forward_input];
  }
  return any ? grad_mask : GradMask();
}

Tensor RunDygraph(const OpSpec& spec,
                  const TensorPointers& tensors,
                  const Attrs& attrs) {
  const Span span(spec.name, " dygraph", phi::TracerEventType::Operator);
  const auto dense = std::make_shared<DenseTensor>();
  RunKernel(spec, tensors, attrs, dense.get());
  Tensor result(dense);
  CheckNumbers(spec, result);
  const GradMask grad_mask = ComputeGradMask(spec, tensors);
  if (!grad_mask.empty()) {
    RecordGradient(
        SaveInputs(spec, tensors, grad_mask, attrs), tensors, {&result});
  }
  return result;
}

void RunDygraphInplace(const OpSpec& spec,
                       const TensorPointers& tensors,
                       const Attrs& attrs) {
  const Span span(spec.name, "_ dygraph", phi::TracerEventType::Operator);
  Tensor* x = tensors[spec.inplace_input()];
  GradMask grad_mask = ComputeGradMask(spec, tensors);
  std::shared_ptr<GradNode> node;
  if (!grad_mask.empty()) {
    grad_mask[spec.inplace_input()] = true;
    // Save the old value of x if the gradient reads it.
    Tensor old_x;
    TensorPointers saved = tensors;
    if (ReadsOverwritten(spec)) {
      old_x = paddle::experimental::assign(*x, paddle::none);
      saved[spec.inplace_input()] = &old_x;
    }
    node = SaveInputs(spec, saved, grad_mask, attrs);
  }
  auto* out = const_cast<DenseTensor*>(
      DenseOf(spec, spec.inputs[spec.inplace_input()].name, *x));
  DenseTensor* const strided = paddle::experimental::ProcessStrideBackup(&out);
  RunKernel(spec, tensors, attrs, out);
  paddle::experimental::TransStride(
      const_cast<phi::CPUContext*>(&CpuContext()), out, strided);
  CheckNumbers(spec, *x, "_");
  egr::EagerUtils::CheckInplace(
      *x, egr::EagerUtils::nullable_autograd_meta(*x), !grad_mask.empty());
  x->bump_inplace_version();
  if (node == nullptr) return;
  // As in Paddle's generated code, before x is connected as an input.
  SetStopGradient(x, false);
  RecordGradient(node, tensors, {x});
}

PyObject* Call(const OpSpec& spec, bool inplace, PyObject* args) {
  const size_t count = spec.inputs.size();
  CheckCount(spec.name, PyTuple_GET_SIZE(args), count + spec.attrs.size());
  if (!InDygraph()) {
    CheckValues(spec, args);
    // There is no in-place form.
    return CallInPython("paddle._native_static",
                        "run_static",
                        spec,
                        args,
                        ReadAttrs(spec, args, count));
  }
  const TensorPointers tensors = ReadTensors(spec, args);
  const Attrs attrs = ReadAttrs(spec, args, count);
  for (const Tensor* tensor : tensors) {
    if (!tensor->is_dist_tensor()) continue;
    const auto* dist =
        static_cast<const phi::distributed::DistTensor*>(tensor->impl().get());
    for (Tensor* other : tensors) {
      egr::ConvertToDistTensor(other, &dist->process_mesh());
    }
    return CallInPython("paddle._native_distributed",
                        inplace ? "run_inplace" : "run",
                        spec,
                        args,
                        attrs);
  }
  Tensor result;
  {
    const py::gil_scoped_release release;
    if (inplace) {
      RunDygraphInplace(spec, tensors, attrs);
    } else {
      result = RunDygraph(spec, tensors, attrs);
    }
  }
  if (!inplace) return paddle::pybind::ToPyObject(result);
  PyObject* const x = PyTuple_GET_ITEM(args, spec.inplace_input());
  Py_INCREF(x);
  return x;
}

// Whether the runtime, not Paddle's function, serves a call of one of Paddle's
// own operators.
bool IsServedByRuntime(const OpSpec& spec, PyObject* args) {
  const size_t count = spec.inputs.size();
  const size_t num_args = PyTuple_GET_SIZE(args);
  if (!InDygraph() || num_args < count + spec.attrs.size()) return false;
  TensorPointers tensors;
  bool is_plain = true;
  for (size_t i = 0; i < count; ++i) {
    PyObject* const object = PyTuple_GET_ITEM(args, i);
    if (!paddle::pybind::PyCheckTensor(object)) return false;
    Tensor& tensor = TensorOf(object);
    if (!tensor.defined()) return false;
    is_plain = is_plain && tensor.is_dense_tensor() && tensor.is_cpu();
    tensors.push_back(&tensor);
  }
  if (spec.gradient().gradient != nullptr) {
    return is_plain && !ComputeGradMask(spec, tensors).empty();
  }
  return std::any_of(tensors.begin(), tensors.end(), [](const Tensor* tensor) {
    return tensor->is_dist_tensor();
  });
}

// Throws for a mask that is larger than x: the kernel would write out of
// bounds. The MaskedFillInferMeta of Paddle 3.3.1 lacks this check.
void CheckInplaceMask(const OpSpec& spec, PyObject* args) {
  const size_t count = spec.inputs.size();
  if (spec.name != std::string("masked_fill") || !InDygraph()) return;
  Inputs inputs;
  for (size_t i = 0; i < count && i < size_t(PyTuple_GET_SIZE(args)); ++i) {
    PyObject* const object = PyTuple_GET_ITEM(args, i);
    if (!paddle::pybind::PyCheckTensor(object)) return;
    const Tensor& tensor = TensorOf(object);
    if (!tensor.defined() || !tensor.is_dense_tensor()) return;
    inputs.push_back(static_cast<const DenseTensor*>(tensor.impl().get()));
  }
  if (inputs.size() < count) return;
  const phi::MetaTensor x(*inputs[0]);
  const DenseTensor out = InferOutputs(spec, inputs, Attrs())[0];
  phi::funcs::scatter_ops::CheckInplaceDims(spec.name, x, out.dims(), x);
}

}  // namespace

PyObject* CallOp(PyObject* self, PyObject* args, PyObject* kwargs) {
  return TranslateExceptions([&]() -> PyObject* {
    const auto& spec = *static_cast<const OpSpec*>(
        PyCapsule_GetPointer(PyTuple_GET_ITEM(self, 0), nullptr));
    const bool inplace = PyTuple_GET_ITEM(self, 1) == Py_True;
    PyObject* const stock = PyTuple_GET_ITEM(self, 2);
    if (stock == Py_None || IsServedByRuntime(spec, args)) {
      return Call(spec, inplace, args);
    }
    if (inplace) CheckInplaceMask(spec, args);
    return PyObject_Call(stock, args, kwargs);
  });
}

}  // namespace native_ops
