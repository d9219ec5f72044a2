#include "dygraph/grad_node.h"

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cctype>
#include <list>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <variant>

#include "dygraph/tracer.h"
#include "kernels/instrumentation.h"
#include "paddle/utils/pybind.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

// Where an input of a backward entry comes from: a Tensor of the call, kept;
// what is known of one whose elements are not read; or an incoming gradient.
using Source = std::variant<egr::TensorWrapper, DenseTensor, size_t>;

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
    sources_.clear();
  }

  std::shared_ptr<egr::GradNodeBase> Copy() const override {
    return std::make_shared<GradNode>(*this);
  }

  std::string name() override;

  void Keep(const std::vector<const Tensor*>& inputs,
            const std::vector<bool>& wanted,
            const Attrs& attrs,
            const std::vector<Tensor*>& results);

 private:
  void CheckUsable(bool create_graph) const;
  void CheckGradient(const Tensor& grad, size_t slot) const;
  std::vector<Tensor> Arguments(egr::TensorSlots* grads);
  Tensor Recover(egr::TensorWrapper* kept, const char* name) const;
  egr::TensorSlots Wanted(const std::vector<Tensor>& found) const;
  void TakeBuffers(const egr::TensorSlots& grads,
                   const std::vector<Tensor>& tensors,
                   const Outputs& outputs) const;

  const OpSpec& call_;
  const OpSpec& entry_;
  std::vector<Source> sources_;  // of the inputs of entry_
  std::vector<bool> wanted_;     // of the outputs of entry_
  Attrs attrs_;
  std::vector<phi::DDim> dims_;  // of the results, in the order of the slots
  bool released_ = false;
};

// Whether nothing was computed for a Tensor. One without elements has no memory
// either.
bool IsMissing(const Tensor& tensor) {
  return !tensor.initialized() && tensor.numel() != 0;
}

DenseTensor MetaOf(const Tensor& tensor) {
  DenseTensor meta;
  meta.set_meta(static_cast<const DenseTensor*>(tensor.impl().get())->meta());
  return meta;
}

void GradNode::Keep(const std::vector<const Tensor*>& inputs,
                    const std::vector<bool>& wanted,
                    const Attrs& attrs,
                    const std::vector<Tensor*>& results) {
  sources_.reserve(entry_.inputs.size());
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, at] = input.from;
    if (kind == From::kGradient) {
      sources_.emplace_back(static_cast<size_t>(at));
      continue;
    }
    const Tensor& tensor = kind == From::kInput ? *inputs[at] : *results[at];
    if (input.needs_buffer) {
      sources_.emplace_back(
          std::in_place_type<egr::TensorWrapper>, tensor, false);
    } else {
      sources_.emplace_back(MetaOf(tensor));
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

// As Paddle names its nodes; the profiler knows them by it.
std::string GradNode::name() {
  std::string found;
  bool starts_word = true;
  for (const char letter : std::string(call_.name) + "_grad_node") {
    if (letter != '_') found += starts_word ? std::toupper(letter) : letter;
    starts_word = letter == '_';
  }
  return found;
}

void GradNode::CheckUsable(bool create_graph) const {
  if (create_graph && entry_.gradient == nullptr &&
      entry_.recorded == nullptr) {
    // The words of Paddle's own nodes.
    PADDLE_THROW(common::errors::Unavailable(
        "The Op %s doesn't have any grad op. If you don't intend calculating "
        "higher order derivatives, please set `create_graph`to False.",
        entry_.name));
  }
  PADDLE_ENFORCE_EQ(
      released_,
      false,
      common::errors::PreconditionNotMet(
          "(%s) the Tensors kept for backward have been released: the "
          "gradients of this graph were computed before. Set "
          "retain_graph=True in the first backward or grad call to compute "
          "them again.",
          entry_.name));
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

// Paddle's error of a Tensor that was changed in place does not say which.
Tensor GradNode::Recover(egr::TensorWrapper* kept, const char* name) const {
  try {
    return egr::EagerUtils::RecoverTensorWrapper(kept);
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
  for (size_t i = 0; i < sources_.size(); ++i) {
    const size_t* slot = std::get_if<size_t>(&sources_[i]);
    if (slot == nullptr || entry_.inputs[i].optional) continue;
    egr::EagerUtils::FillZeroForEmptyGradInput(&(*grads)[*slot],
                                               InputMeta()[*slot]);
  }
  const egr::TensorSlots hooked = ApplyGradientHooks(*grads);
  std::vector<Tensor> found;
  found.reserve(sources_.size());
  for (Source& source : sources_) {
    if (const size_t* slot = std::get_if<size_t>(&source)) {
      // Empty where the call did not compute that result.
      found.push_back(hooked[*slot].empty() ? Tensor() : hooked[*slot][0]);
      if (found.back().initialized()) CheckGradient(found.back(), *slot);
    } else if (auto* kept = std::get_if<egr::TensorWrapper>(&source)) {
      found.push_back(Recover(kept, entry_.inputs[found.size()].name));
    } else {
      found.emplace_back(
          std::make_shared<DenseTensor>(std::get<DenseTensor>(source)));
    }
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
    const size_t* slot = std::get_if<size_t>(&sources_[over]);
    if (slot == nullptr) continue;
    const auto& impl = tensors[over].impl();
    const bool from_engine = grads[*slot][0].impl() == impl;
    if (impl.use_count() != (from_engine ? 2 : 1)) continue;
    const auto& dense = *static_cast<const DenseTensor*>(impl.get());
    if (dense.meta().is_contiguous() && dense.meta().offset == 0 &&
        dense.Holder().use_count() == 1) {
      outputs[i]->ShareBufferWith(dense);
    }
  }
}

egr::TensorSlots GradNode::Wanted(const std::vector<Tensor>& found) const {
  egr::TensorSlots returns(entry_.outputs.size(), std::vector<Tensor>(1));
  for (size_t i = 0; i < found.size(); ++i) {
    if (wanted_[i]) returns[i][0] = found[i];
  }
  return returns;
}

egr::TensorSlots GradNode::operator()(egr::TensorSlots& grads,
                                      bool create_graph,
                                      bool) {
  // Paddle's nodes record nothing under no_grad either.
  create_graph = create_graph && HasGrad();
  CheckUsable(create_graph);
  const std::vector<Tensor> tensors = Arguments(&grads);
  if (create_graph && entry_.recorded != nullptr) {
    return Wanted(entry_.recorded(tensors, attrs_));
  }
  std::list<DenseTensor> copies;
  Inputs inputs;
  std::vector<const Tensor*> defined;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const InputSpec& input = entry_.inputs[i];
    const bool absent =
        !tensors[i].defined() || (input.optional && IsMissing(tensors[i]));
    defined.push_back(absent ? nullptr : &tensors[i]);
    const DenseTensor* dense =
        absent ? nullptr : DenseOf(entry_, input.name, tensors[i]);
    inputs.push_back(dense == nullptr || !input.needs_buffer
                         ? dense
                         : AsContiguous(*dense, &copies));
  }
  egr::TensorSlots returns(entry_.outputs.size(), std::vector<Tensor>(1));
  Outputs outputs;
  std::vector<Tensor*> results;
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
    const std::vector<bool> all(tensors.size(), true);
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
                    const std::vector<const Tensor*>& inputs,
                    const std::vector<bool>& wanted,
                    const Attrs& attrs,
                    const std::vector<Tensor*>& results) {
  if (spec.gradient == nullptr) return;
  const OpSpec& entry = spec.gradient();
  const auto node =
      std::allocate_shared<GradNode>(NodeAllocator(), spec, entry);
  for (size_t slot = 0; slot < entry.outputs.size(); ++slot) {
    const Tensor* input = inputs[entry.outputs[slot].from];
    if (input != nullptr) node->SetGradOutMeta(*input, slot);
  }
  const py::gil_scoped_acquire acquire;
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!results[slot]->defined()) continue;
    Connect(results[slot], slot, node);
  }
  node->Keep(inputs, wanted, attrs, results);
}

}  // namespace native_ops
