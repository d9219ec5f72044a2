#include "dygraph/grad_node.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <list>
#include <memory>
#include <memory_resource>
#include <string>
#include <variant>

#include "dygraph/tracer.h"
#include "kernels/instrumentation.h"
#include "paddle/utils/pybind.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

// A Tensor of the call, kept, or what is known of one whose elements are not
// read.
using Kept = std::variant<egr::TensorWrapper, phi::DenseTensorMeta>;

class GradNode : public egr::GradNodeBase {
 public:
  // `entry`: what runs in backward.
  GradNode(const OpSpec& call, const OpSpec& entry)
      : GradNodeBase(call.outputs.size(), entry.outputs.size()),
        call_(call),
        entry_(entry) {}

  egr::TensorSlots operator()(egr::TensorSlots& grads,
                              bool create_graph,
                              bool is_new_grad) override;

  void ClearTensorWrappers() override {
    released_ = true;
    kept_.clear();
  }

  std::shared_ptr<egr::GradNodeBase> Copy() const override {
    return std::make_shared<GradNode>(*this);
  }

  std::string name() override { return call_.node; }

  void Keep(const TensorPointers& inputs,
            const Wanted& wanted,
            const Attrs& attrs,
            const Results& results);

 private:
  void CheckGradient(const Tensor& grad, size_t slot) const;
  std::vector<Tensor> Arguments(egr::TensorSlots* grads);
  Tensor Recover(Kept* kept, const char* name) const;
  void TakeBuffers(const egr::TensorSlots& grads,
                   const std::vector<Tensor>& tensors,
                   const Outputs& outputs) const;

  const OpSpec& call_;
  const OpSpec& entry_;
  paddle::small_vector<Kept, 4> kept_;  // inputs of entry_, without gradients
  Wanted wanted_;                       // of the outputs of entry_
  Attrs attrs_;
  paddle::small_vector<phi::DDim, 2> dims_;  // of the results, by slot
  bool released_ = false;
};

void GradNode::Keep(const TensorPointers& inputs,
                    const Wanted& wanted,
                    const Attrs& attrs,
                    const Results& results) {
  kept_.reserve(entry_.inputs.size());
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, at] = input.from;
    if (kind == From::kGradient) continue;
    const Tensor& tensor = kind == From::kInput ? *inputs[at] : *results[at];
    if (input.needs_buffer) {
      kept_.emplace_back(std::in_place_type<egr::TensorWrapper>, tensor, false);
    } else {
      kept_.emplace_back(DenseOf(entry_, input.name, tensor)->meta());
    }
  }
  for (const Tensor* result : results) {
    dims_.push_back(result->defined() ? result->dims() : phi::DDim());
  }
  for (const AttrSpec& attr : entry_.attrs) attrs_.push_back(attrs[attr.from]);
  for (const OutputSpec& output : entry_.outputs) {
    wanted_.push_back(wanted[output.from]);
  }
}

// A hook may have returned a Tensor of any shape; the kernels rely on it.
void GradNode::CheckGradient(const Tensor& grad, size_t slot) const {
  PADDLE_ENFORCE_EQ(
      grad.dims(),
      dims_[slot],
      common::errors::InvalidArgument(
          "(%s) the gradient of %s must have its shape, [%s], but a hook "
          "returned one of shape [%s].",
          entry_.name,
          call_.outputs[slot].name,
          dims_[slot],
          grad.dims()));
}

Tensor GradNode::Recover(Kept* kept, const char* name) const {
  if (const auto* meta = std::get_if<phi::DenseTensorMeta>(kept)) {
    const auto dense = std::make_shared<DenseTensor>();
    dense->set_meta(*meta);
    return Tensor(dense);
  }
  try {
    return egr::EagerUtils::RecoverTensorWrapper(
        std::get_if<egr::TensorWrapper>(kept));
    // Paddle's error of a Tensor that was changed in place does not say which.
  } catch (const common::enforce::EnforceNotMet& error) {
    const std::string& words = error.simple_error_str();
    const size_t start = words.find("used in gradient computation");
    if (start == std::string::npos) throw;
    PADDLE_THROW(common::errors::PermissionDenied(
        "(%s) %s was changed in place after the call: Tensor '%s' %s",
        entry_.name,
        name,
        name,
        words.substr(start)));
  }
}

// The Tensors that entry_ takes; undefined where an optional one is absent.
std::vector<Tensor> GradNode::Arguments(egr::TensorSlots* grads) {
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, slot] = input.from;
    if (kind != From::kGradient || input.optional) continue;
    egr::EagerUtils::FillZeroForEmptyGradInput(&(*grads)[slot],
                                               InputMeta()[slot]);
  }
  const egr::TensorSlots hooked = ApplyGradientHooks(*grads);
  auto kept = kept_.begin();
  std::vector<Tensor> found;
  found.reserve(entry_.inputs.size());
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, slot] = input.from;
    if (kind != From::kGradient) {
      found.push_back(Recover(&*kept++, input.name));
      continue;
    }
    // Empty where the call did not compute that result.
    found.push_back(hooked[slot].empty() ? Tensor() : hooked[slot][0]);
    if (found.back().initialized()) CheckGradient(found.back(), slot);
  }
  return found;
}

// Lets the outputs that may be written over an incoming gradient have its
// memory, where nobody else holds it: then `grads`, which is the engine's and
// dropped after this call, and `tensors` share it, or a hook has replaced it.
void GradNode::TakeBuffers(const egr::TensorSlots& grads,
                           const std::vector<Tensor>& tensors,
                           const Outputs& outputs) const {
  for (size_t i = 0; i < entry_.outputs.size(); ++i) {
    const int over = entry_.outputs[i].over;
    if (over < 0 || outputs[i] == nullptr) continue;
    const auto [kind, slot] = entry_.inputs[over].from;
    if (kind != From::kGradient) continue;
    const auto& impl = tensors[over].impl();
    const bool from_engine = grads[slot][0].impl() == impl;
    if (impl.use_count() != (from_engine ? 2 : 1)) continue;
    const auto& dense = *static_cast<const DenseTensor*>(impl.get());
    if (IsContiguous(dense.meta()) && dense.meta().offset == 0 &&
        dense.Holder().use_count() == 1) {
      outputs[i]->ShareBufferWith(dense);
    }
  }
}

egr::TensorSlots GradNode::operator()(egr::TensorSlots& grads,
                                      bool create_graph,
                                      bool) {
  // Paddle's nodes record nothing under no_grad either.
  create_graph = create_graph && HasGrad();
  if (create_graph && entry_.gradient == nullptr &&
      entry_.recorded == nullptr) {
    // The words of Paddle's own nodes.
    PADDLE_THROW(common::errors::Unavailable(
        "The Op %s doesn't have any grad op. If you don't intend calculating "
        "higher order derivatives, please set `create_graph`to False.",
        entry_.name));
  }
  if (released_) {
    ThrowReleased(entry_.name, "the Tensors kept for backward have");
  }
  const std::vector<Tensor> tensors = Arguments(&grads);
  egr::TensorSlots returns(entry_.outputs.size(), std::vector<Tensor>(1));
  if (create_graph && entry_.recorded != nullptr) {
    const std::vector<Tensor> found = entry_.recorded(tensors, attrs_);
    for (size_t i = 0; i < found.size(); ++i) {
      if (wanted_[i]) returns[i][0] = found[i];
    }
    return returns;
  }
  std::list<DenseTensor> copies;
  Inputs inputs;
  TensorPointers defined;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const InputSpec& input = entry_.inputs[i];
    const Tensor& tensor = tensors[i];
    // One without elements has no memory either, but is not missing.
    const bool absent =
        !tensor.defined() ||
        (input.optional && !tensor.initialized() && tensor.numel() != 0);
    defined.push_back(absent ? nullptr : &tensor);
    const DenseTensor* dense =
        absent ? nullptr : DenseOf(entry_, input.name, tensor);
    inputs.push_back(dense == nullptr || !input.needs_buffer
                         ? dense
                         : AsContiguous(*dense, &copies));
  }
  Outputs outputs;
  Results results;
  for (size_t i = 0; i < entry_.outputs.size(); ++i) {
    if (wanted_[i]) returns[i][0] = Tensor(std::make_shared<DenseTensor>());
    outputs.push_back(static_cast<DenseTensor*>(returns[i][0].impl().get()));
    results.push_back(&returns[i][0]);
  }
  if (!create_graph) TakeBuffers(grads, tensors, outputs);
  Run(entry_, inputs, attrs_, outputs);
  // As those of Paddle's nodes: hooks may go on computing with them.
  for (Tensor* result : results) {
    if (result->defined()) SetStopGradient(result, false);
  }
  ReportKernel(entry_, inputs);
  CheckNumbers(entry_, returns);
  if (create_graph) {
    const Wanted all(tensors.size(), true);
    const py::gil_scoped_acquire acquire;
    RecordGradient(entry_, defined, all, attrs_, results);
  }
  return returns;
}

// Nodes come and go with every call, and malloc tidies its lists whenever a
// block of over 1 KB is asked for, which takes a tenth of the time of a small
// operator. Never destroyed, so that the last nodes of a process find it too;
// they are freed with and without the GIL.
std::pmr::polymorphic_allocator<GradNode> NodeAllocator() {
  static auto& pool = *new std::pmr::synchronized_pool_resource;
  return &pool;
}

}  // namespace

void Connect(Tensor* tensor,
             size_t slot,
             const std::shared_ptr<egr::GradNodeBase>& node) {
  egr::AutogradMeta* meta = egr::EagerUtils::autograd_meta(tensor);
  egr::EagerUtils::SetOutRankWithSlot(meta, slot);
  egr::EagerUtils::SetHistory(meta, node);
  SetStopGradient(tensor, false);
  node->SetGradInMeta(*tensor, slot);
}

void RecordGradient(const OpSpec& spec,
                    const TensorPointers& inputs,
                    const Wanted& wanted,
                    const Attrs& attrs,
                    const Results& results) {
  if (spec.gradient == nullptr) return;
  const OpSpec& entry = spec.gradient();
  const auto node =
      std::allocate_shared<GradNode>(NodeAllocator(), spec, entry);
  for (size_t slot = 0; slot < entry.outputs.size(); ++slot) {
    const int from = entry.outputs[slot].from;
    if (inputs[from] == nullptr || !wanted[from]) continue;
    node->SetGradOutMeta(*inputs[from], slot);
  }
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!results[slot]->defined()) continue;
    Connect(results[slot], slot, node);
  }
  node->Keep(inputs, wanted, attrs, results);
}

}  // namespace native_ops
