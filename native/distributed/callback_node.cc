#include "distributed/callback_node.h"

#include <memory>
#include <vector>

#include "dygraph/grad_node.h"
#include "paddle/phi/core/distributed/auto_parallel/dist_tensor.h"

namespace native_ops {

using paddle::Tensor;

namespace {

// Returns a reference that may be dropped without the GIL, and after the
// interpreter is finalized.
std::shared_ptr<PyObject> MakeOwned(PyObject* object) {
  Py_INCREF(object);
  return {object, [](PyObject* owned) {
            if (!Py_IsInitialized()) return;
            const py::gil_scoped_acquire acquire;
            Py_DECREF(owned);
          }};
}

class CallbackNode : public egr::GradNodeBase {
 public:
  CallbackNode(const std::string& name, const py::object& backward)
      : GradNodeBase(1, 1), name_(name), backward_(MakeOwned(backward.ptr())) {}

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
};

Tensor& RequireTensor(const py::object& object) {
  if (paddle::pybind::PyCheckTensor(object.ptr()) &&
      TensorOf(object.ptr()).defined()) {
    return TensorOf(object.ptr());
  }
  throw py::type_error("record_callback(): a defined Tensor expected.");
}

// Returns whether a gradient has no contribution. The gradient of a rank
// without elements is uninitialized, but not absent.
bool IsAbsent(const Tensor& grad) {
  if (!grad.defined()) return true;
  if (!grad.is_dist_tensor()) return !grad.initialized() && grad.numel() != 0;
  return !static_cast<const phi::distributed::DistTensor*>(grad.impl().get())
              ->defined();
}

egr::TensorSlots CallbackNode::operator()(egr::TensorSlots& grads,
                                          bool create_graph,
                                          bool) {
  if (backward_ == nullptr) ThrowReleased(name());
  const egr::TensorSlots hooked = ApplyGradientHooks(grads);
  egr::TensorSlots returns(1, std::vector<Tensor>(1));
  if (hooked[0].empty() || IsAbsent(hooked[0][0])) return returns;
  const py::gil_scoped_acquire acquire;
  try {
    const auto backward = py::reinterpret_borrow<py::object>(backward_.get());
    const auto grad = py::reinterpret_steal<py::object>(
        paddle::pybind::ToPyObject(hooked[0][0]));
    returns[0][0] = RequireTensor(backward(create_graph, grad));
  } catch (const py::error_already_set& error) {
    // Paddle's backward engine terminates the process on other exceptions.
    PADDLE_THROW(common::errors::PreconditionNotMet(
        "(%s) The gradient failed: %s", name_, error.what()));
  }
  return returns;
}

}  // namespace

void RecordCallback(const std::string& name,
                    const py::object& backward,
                    const py::object& input,
                    const py::object& result) {
  const auto node = std::make_shared<CallbackNode>(name, backward);
  node->SetGradOutMeta(RequireTensor(input), /*slot=*/0);
  Connect(&RequireTensor(result), /*slot=*/0, node);
}

}  // namespace native_ops
