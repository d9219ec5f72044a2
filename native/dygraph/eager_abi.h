// Symbols of Paddle's autograd that a node of the backward graph calls.
// libpaddle.so exports them; no header of the wheel declares them.
//
// Two assumptions about the layout hold in the supported releases: the order of
// GradNodeBase's virtual functions, and that objects, which Paddle's code
// constructs, copies and destroys, fit into the buffers declared here.
// native/tests/test_native_autograd.py aborts if one is violated.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels/instrumentation.h"
#include "paddle/phi/api/include/tensor.h"
#include "paddle/phi/core/distributed/auto_parallel/process_mesh.h"
#include "paddle/utils/small_vector.h"

namespace egr {

class AutogradMeta;
class GradSlotMeta;

// One vector of Tensors per slot.
using TensorSlots = paddle::small_vector<std::vector<paddle::Tensor>, 15>;
using MetaSlots = paddle::small_vector<std::vector<GradSlotMeta>, 15>;

class __attribute__((visibility("default"))) GradNodeBase {
 public:
  // Numbers of incoming and outgoing gradients.
  GradNodeBase(size_t in_slots, size_t out_slots);
  GradNodeBase(const GradNodeBase& other);
  virtual ~GradNodeBase();
  virtual TensorSlots operator()(TensorSlots& grads,
                                 bool create_graph,
                                 bool is_new_grad) = 0;
  virtual void ClearTensorWrappers() = 0;
  virtual std::shared_ptr<GradNodeBase> Copy() const = 0;
  virtual std::string name();

  void SetGradInMeta(const paddle::Tensor& result, size_t slot);
  void SetGradOutMeta(const paddle::Tensor& input, size_t slot);
  const MetaSlots& InputMeta() const;
  TensorSlots ApplyGradientHooks(const TensorSlots& grads);

 private:
  alignas(16) char buffer_[1200];
};

// A Tensor saved for backward. Detects later in-place changes and calls the
// hooks of paddle.autograd.saved_tensors_hooks.
class __attribute__((visibility("default"))) TensorWrapper {
 public:
  explicit TensorWrapper(const paddle::Tensor& tensor, bool no_need_buffer);
  TensorWrapper(const TensorWrapper& other);
  ~TensorWrapper();

 private:
  alignas(16) char buffer_[240];
};

class __attribute__((visibility("default"))) EagerUtils {
 public:
  static std::shared_ptr<GradNodeBase> grad_node(const paddle::Tensor& tensor);
  static AutogradMeta* autograd_meta(paddle::Tensor* tensor);
  static AutogradMeta* nullable_autograd_meta(const paddle::Tensor& tensor);
  template <typename Recording, typename... Metas>
  static bool ComputeRequireGrad(Recording recording, Metas&&... metas);
  static void CheckInplace(const paddle::Tensor& target,
                           const AutogradMeta* meta,
                           bool requires_gradient);
  static void SetOutRankWithSlot(AutogradMeta* meta, size_t slot);
  static void SetHistory(AutogradMeta* meta,
                         const std::shared_ptr<GradNodeBase>& node);
  static paddle::Tensor RecoverTensorWrapper(TensorWrapper* wrapper);
  static void FillZeroForEmptyGradInput(std::vector<paddle::Tensor>* grads,
                                        const std::vector<GradSlotMeta>& metas);
};

extern template bool EagerUtils::ComputeRequireGrad<bool, AutogradMeta*&>(
    bool, AutogradMeta*&);

// Sets stop_gradient of a Tensor. In Paddle's class a vtable pointer, which
// this call does not use, precedes the flag.
class __attribute__((visibility("default"))) PassStopGradientIter {
 public:
  explicit PassStopGradientIter(bool stop) : stop_gradient_(stop) {}
  void visit(AutogradMeta* meta);

 private:
  void* virtual_functions_ = nullptr;
  bool stop_gradient_;
};

__attribute__((visibility("default"))) void CheckTensorHasNanOrInf(
    const std::string& op, const paddle::Tensor& tensor);
__attribute__((visibility("default"))) void CheckTensorHasNanOrInf(
    const std::string& op, const TensorSlots& tensors);

// Converts a dense Tensor to a replicated one, in place. Throws for a
// distributed Tensor on another mesh.
__attribute__((visibility("default"))) void ConvertToDistTensor(
    paddle::Tensor* tensor, const phi::distributed::ProcessMesh* mesh);

}  // namespace egr

namespace paddle::imperative {

class __attribute__((visibility("default"))) Tracer {
 public:
  bool HasGrad() const;
};

// Null while a static graph is built.
__attribute__((visibility("default"))) const std::shared_ptr<Tracer>&
GetCurrentTracer();

}  // namespace paddle::imperative

namespace native_ops {

inline bool InDygraph() {
  return paddle::imperative::GetCurrentTracer() != nullptr;
}

// Returns whether gradients are recorded.
inline bool HasGrad() {
  const auto& tracer = paddle::imperative::GetCurrentTracer();
  return tracer == nullptr || tracer->HasGrad();
}

// Returns whether the Tensor requires a gradient.
inline bool RequiresGrad(const paddle::Tensor& tensor) {
  egr::AutogradMeta* meta = egr::EagerUtils::nullable_autograd_meta(tensor);
  return meta != nullptr &&
         egr::EagerUtils::ComputeRequireGrad<bool, egr::AutogradMeta*&>(true,
                                                                        meta);
}

// Throws, naming the operator, for NaN or infinity in `results` (a Tensor or
// the slots of a node) if FLAGS_check_nan_inf is set. `form` is appended to the
// name.
template <typename Results>
void CheckNumbers(const OpSpec& spec,
                  const Results& results,
                  const char* form = "") {
  if (FLAGS_check_nan_inf) {
    egr::CheckTensorHasNanOrInf(std::string(spec.name) + form, results);
  }
}

inline void SetStopGradient(paddle::Tensor* tensor, bool stop) {
  egr::PassStopGradientIter(stop).visit(egr::EagerUtils::autograd_meta(tensor));
}

}  // namespace native_ops
