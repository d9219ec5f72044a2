#include "dygraph/calls.h"

#include <algorithm>
#include <memory>
#include <string>

#include "dygraph/grad_node.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

// Below this the threads that wait for the GIL lose less by waiting than the
// call does by handing it over.
constexpr int64_t kReleaseBytes = 64 << 10;

// Whether there may be so much of a result: operands broadcast at most to the
// greatest of the sizes of each dim, counted from the last.
bool IsLarge(const Inputs& inputs) {
  int64_t most[phi::DDim::kMaxRank] = {};
  for (const DenseTensor* input : inputs) {
    if (input == nullptr) continue;
    const phi::DDim& dims = input->dims();
    for (int i = 0; i < dims.size(); ++i) {
      most[i] = std::max(most[i], dims[dims.size() - 1 - i]);
    }
  }
  int64_t bytes = phi::SizeOf(inputs[0]->dtype());
  for (const int64_t dim : most) {
    bytes *= std::max<int64_t>(1, dim);
    if (bytes >= kReleaseBytes) return true;
  }
  return false;
}

}  // namespace

bool Records(const OpSpec& spec, PyObject* const* args) {
  for (const OutputSpec& gradient : spec.gradient().outputs) {
    if (WantsGradient(CheckedTensor(args[gradient.from]))) return HasGrad();
  }
  return false;
}

Call::Call(const OpSpec& spec,
           PyObject* const* args,
           Py_ssize_t count,
           bool inplace)
    : span_(spec.name,
            inplace ? "_ dygraph" : " dygraph",
            phi::TracerEventType::Operator),
      spec_(spec),
      cast_(inplace ? std::nullopt
                    : std::make_optional<CastArguments>(spec, args, count)),
      args_(cast_ ? cast_->get() : args),
      arguments_(spec, args_) {
  if (inplace) arguments_.CheckInplace(spec, args_);
  std::optional<py::gil_scoped_release> release;
  if (IsLarge(arguments_.inputs)) release.emplace();
  Run(inplace);
}

void Call::Run(bool inplace) {
  if (inplace) {
    RunInplace(spec_, arguments_.inputs, arguments_.attrs);
    CheckNumbers(spec_, TensorOf(args_[spec_.inplace_input]), "_");
  } else {
    const auto dense = std::make_shared<DenseTensor>();
    native_ops::Run(spec_, arguments_.inputs, arguments_.attrs, {dense.get()});
    result_ = Tensor(dense);
    CheckNumbers(spec_, result_);
  }
  ReportKernel(spec_, arguments_.inputs);
}

void Call::Record() {
  if (!result_.defined()) {
    const DenseTensor& x = *arguments_.inputs[spec_.inplace_input];
    result_ = Tensor(std::make_shared<DenseTensor>(x));
  }
  TensorPointers inputs;
  Wanted wanted;
  for (size_t i = 0; i < spec_.inputs.size(); ++i) {
    inputs.push_back(&TensorOf(args_[i]));
    wanted.push_back(WantsGradient(TensorOf(args_[i])));
  }
  RecordGradient(spec_, inputs, wanted, arguments_.attrs, {&result_});
}

PyObject* Call::Results() const { return paddle::pybind::ToPyObject(result_); }

PyObject* Call::ChangedInput() const {
  PyObject* x = args_[spec_.inplace_input];
  TensorOf(x).bump_inplace_version();
  if (result_.defined()) {
    Connect(&TensorOf(x), /*slot=*/0, egr::EagerUtils::grad_node(result_));
  }
  Py_INCREF(x);
  return x;
}

PyObject* CallOp(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    const bool records = Records(spec, args);
    Call call(spec, args, count, /*inplace=*/false);
    if (records) call.Record();
    return call.Results();
  });
}

PyObject* CallInplace(PyObject* self, PyObject* const* args, Py_ssize_t count) {
  return Guarded([&]() -> PyObject* {
    const OpSpec& spec = SpecOf(self);
    CheckCount(spec, count);
    const bool records = Records(spec, args);
    Call call(spec, args, count, /*inplace=*/true);
    if (records) call.Record();
    return call.ChangedInput();
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

}  // namespace native_ops
