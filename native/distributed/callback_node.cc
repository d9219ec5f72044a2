#include "distributed/callback_node.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dygraph/eager_abi.h"
#include "dygraph/grad_node.h"
#include "paddle/phi/core/distributed/auto_parallel/dist_tensor.h"
#include "python/python_args.h"

namespace egr {

// Exported by libpaddle.so, declared by no header of the wheel.
void ConvertToDistTensor(paddle::Tensor* tensor,
                         const phi::distributed::ProcessMesh* mesh);

}  // namespace egr

namespace native_ops {

using paddle::Tensor;

namespace {

// Owns a Python object outside the GIL, also while the interpreter ends.
std::shared_ptr<PyObject> Owned(PyObject* object) {
  Py_INCREF(object);
  return {object, [](PyObject* owned) {
            if (!Py_IsInitialized()) return;
            const py::gil_scoped_acquire acquire;
            Py_DECREF(owned);
          }};
}

class CallbackNode : public egr::GradNodeBase {
 public:
  CallbackNode(std::string name,
               PyObject* backward,
               size_t in_slots,
               size_t out_slots)
      : GradNodeBase(in_slots, out_slots),
        name_(std::move(name)),
        backward_(Owned(backward)),
        out_slots_(out_slots) {}

  egr::TensorSlots operator()(egr::TensorSlots& grads,
                              bool create_graph,
                              bool is_new_grad) override;

  void ClearTensorWrappers() override { backward_.reset(); }

  std::shared_ptr<egr::GradNodeBase> Copy() const override {
    return std::make_shared<CallbackNode>(*this);
  }

  std::string name() override { return name_ + "_grad_node"; }

 private:
  std::string name_;
  std::shared_ptr<PyObject> backward_;  // null: released
  size_t out_slots_;
};

// Paddle leaves a gradient out that nothing has contributed to. A rank without
// elements has one, which is not initialized either.
bool IsAbsent(const Tensor& grad) {
  if (!grad.defined()) return true;
  if (!grad.is_dist_tensor()) return !grad.initialized() && grad.numel() != 0;
  return !static_cast<const phi::distributed::DistTensor*>(grad.impl().get())
              ->defined();
}

py::object ToPython(const std::vector<Tensor>& slot) {
  if (slot.empty() || IsAbsent(slot[0])) return py::none();
  return py::reinterpret_steal<py::object>(paddle::pybind::ToPyObject(slot[0]));
}

egr::TensorSlots CallbackNode::operator()(egr::TensorSlots& grads,
                                          bool create_graph,
                                          bool) {
  PADDLE_ENFORCE_NOT_NULL(
      backward_,
      common::errors::PreconditionNotMet(
          "(%s_grad) the Tensors kept for backward have been released: the "
          "gradients of this graph were computed before. Set "
          "retain_graph=True in the first backward or grad call to compute "
          "them again.",
          name_));
  const egr::TensorSlots hooked = ApplyGradientHooks(grads);
  egr::TensorSlots returns(out_slots_, std::vector<Tensor>(1));
  const py::gil_scoped_acquire acquire;
  try {
    py::list given;
    for (const std::vector<Tensor>& slot : hooked) given.append(ToPython(slot));
    const py::object backward =
        py::reinterpret_borrow<py::object>(backward_.get());
    const py::list found(backward(create_graph, given));
    for (size_t slot = 0; slot < out_slots_; ++slot) {
      const py::object tensor = found[slot];
      if (!tensor.is_none())
        returns[slot][0] = NeedTensor(name_.c_str(), tensor.ptr());
    }
    // Paddle's backward ends the process on exceptions other than its own.
  } catch (const py::error_already_set& error) {
    ThrowAsPaddle(name_, error);
  } catch (const PythonError&) {
    ThrowAsPaddle(name_, py::error_already_set());
  }
  return returns;
}

}  // namespace

PyObject* RecordCallback(PyObject*, PyObject* const* args, Py_ssize_t count) {
  constexpr const char* kName = "record_callback";
  return Guarded([&]() -> PyObject* {
    CheckCount(kName, count, 4);
    const std::string name = NeedString(kName, args[0]);
    const py::list inputs = NeedList(kName, args[2]);
    const py::list results = NeedList(kName, args[3]);
    const auto node = std::make_shared<CallbackNode>(
        name, args[1], results.size(), inputs.size());
    for (size_t slot = 0; slot < inputs.size(); ++slot) {
      const py::object input = inputs[slot];
      if (input.is_none()) continue;
      node->SetGradOutMeta(NeedTensor(kName, input.ptr()), slot);
    }
    for (size_t slot = 0; slot < results.size(); ++slot) {
      const py::object result = results[slot];
      Connect(&NeedTensor(kName, result.ptr()), slot, node);
    }
    Py_RETURN_NONE;
  });
}

PyObject* ToDistributed(PyObject*, PyObject* const* args, Py_ssize_t count) {
  constexpr const char* kName = "to_distributed";
  return Guarded([&]() -> PyObject* {
    CheckCount(kName, count, 2);
    Tensor& tensor = NeedTensor(kName, args[0]);
    const Tensor& like = NeedTensor(kName, args[1]);
    if (!like.is_dist_tensor()) {
      PADDLE_THROW(common::errors::InvalidArgument(
          "(%s) the second Tensor must be distributed.", kName));
    }
    const auto* dist =
        static_cast<const phi::distributed::DistTensor*>(like.impl().get());
    egr::ConvertToDistTensor(&tensor, &dist->process_mesh());
    Py_RETURN_NONE;
  });
}

}  // namespace native_ops
