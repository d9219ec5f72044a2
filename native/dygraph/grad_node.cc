#include "dygraph/grad_node.h"

#include <algorithm>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "dygraph/tracer.h"
#include "kernels/instrumentation.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

class GradNode : public egr::GradNodeBase {
 public:
  // `entry` runs in backward.
  GradNode(const OpSpec& call, const OpSpec& entry)
      : GradNodeBase(call.outputs.size(), entry.outputs.size()),
        call_(call),
        entry_(entry) {}

  egr::TensorSlots operator()(egr::TensorSlots& grads,
                              bool create_graph,
                              bool is_new_grad) override;

  void ClearTensorWrappers() override {
    released_ = true;
    saved_inputs_.clear();
  }

  std::shared_ptr<egr::GradNodeBase> Copy() const override {
    return std::make_shared<GradNode>(*this);
  }

  std::string name() override { return call_.node; }

  void SaveInputs(const TensorPointers& inputs,
                  const GradMask& mask,
                  const Attrs& attrs,
                  const Results& results);

 private:
  std::vector<Tensor> Arguments(egr::TensorSlots* grads);
  void ReuseGradBuffers(const egr::TensorSlots& grads,
                        const std::vector<Tensor>& tensors,
                        const Outputs& outputs) const;

  const OpSpec& call_;
  const OpSpec& entry_;
  // The inputs of entry_ that are not incoming gradients.
  paddle::small_vector<egr::TensorWrapper, 4> saved_inputs_;
  GradMask output_mask_;  // of the outputs of entry_
  Attrs attrs_;
  bool released_ = false;
};

void GradNode::SaveInputs(const TensorPointers& inputs,
                          const GradMask& mask,
                          const Attrs& attrs,
                          const Results& results) {
  saved_inputs_.reserve(entry_.inputs.size());
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, at] = input.source;
    if (kind == Source::kGradient) continue;
    const Tensor& tensor = kind == Source::kInput ? *inputs[at] : *results[at];
    saved_inputs_.emplace_back(tensor, !input.needs_buffer);
  }
  for (const AttrSpec& attr : entry_.attrs) {
    attrs_.push_back(attrs[attr.forward_index]);
  }
  for (const OutputSpec& output : entry_.outputs) {
    output_mask_.push_back(mask[output.forward_input]);
  }
}

// Returns the inputs of entry_; absent optional inputs are undefined Tensors.
std::vector<Tensor> GradNode::Arguments(egr::TensorSlots* grads) {
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, slot] = input.source;
    if (kind != Source::kGradient || input.optional) continue;
    egr::EagerUtils::FillZeroForEmptyGradInput(&(*grads)[slot],
                                               InputMeta()[slot]);
  }
  const egr::TensorSlots hooked = ApplyGradientHooks(*grads);
  auto saved = saved_inputs_.begin();
  std::vector<Tensor> arguments;
  arguments.reserve(entry_.inputs.size());
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, slot] = input.source;
    if (kind != Source::kGradient) {
      arguments.push_back(egr::EagerUtils::RecoverTensorWrapper(&*saved++));
      continue;
    }
    // The slot is empty if the forward call did not compute that result.
    arguments.push_back(hooked[slot].empty() ? Tensor() : hooked[slot][0]);
  }
  return arguments;
}

// Lets outputs reuse the buffer of an incoming gradient (`inplace` in the YAML)
// if only `tensors` owns it, and `grads`, unless a hook replaced the gradient.
// The engine drops `grads` after this call.
void GradNode::ReuseGradBuffers(const egr::TensorSlots& grads,
                                const std::vector<Tensor>& tensors,
                                const Outputs& outputs) const {
  for (size_t i = 0; i < entry_.outputs.size(); ++i) {
    const int reused = entry_.outputs[i].reused_input;
    if (reused < 0 || outputs[i] == nullptr) continue;
    const auto [kind, slot] = entry_.inputs[reused].source;
    if (kind != Source::kGradient) continue;
    const auto& impl = tensors[reused].impl();
    const bool from_engine = grads[slot][0].impl() == impl;
    if (impl.use_count() != (from_engine ? 2 : 1)) continue;
    const auto& dense = *static_cast<const DenseTensor*>(impl.get());
    if (dense.meta().is_contiguous() && dense.meta().offset == 0 &&
        dense.Holder().use_count() == 1) {
      outputs[i]->ShareBufferWith(dense);
    }
  }
}

egr::TensorSlots GradNode::operator()(egr::TensorSlots& grads,
                                      bool create_graph,
                                      bool) {
  // Like Paddle's nodes, record nothing under no_grad.
  create_graph = create_graph && HasGrad();
  if (create_graph && entry_.gradient == nullptr && entry_.ad_func == nullptr) {
    PADDLE_THROW(common::errors::Unavailable(
        "The Op %s doesn't have any grad op. If you don't intend calculating "
        "higher order derivatives, please set `create_graph`to False.",
        entry_.name));
  }
  if (released_) ThrowReleased(name());
  std::vector<Tensor> tensors = Arguments(&grads);
  egr::TensorSlots returns(entry_.outputs.size(), std::vector<Tensor>(1));
  if (create_graph && entry_.ad_func != nullptr) {
    const std::vector<Tensor> results = entry_.ad_func(tensors, attrs_);
    for (size_t i = 0; i < results.size(); ++i) {
      if (output_mask_[i]) returns[i][0] = results[i];
    }
    return returns;
  }
  std::list<DenseTensor> copies;
  Inputs inputs;
  TensorPointers defined;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const InputSpec& input = entry_.inputs[i];
    Tensor& tensor = tensors[i];
    // A Tensor without elements is uninitialized, but not absent.
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
    if (output_mask_[i])
      returns[i][0] = Tensor(std::make_shared<DenseTensor>());
    outputs.push_back(static_cast<DenseTensor*>(returns[i][0].impl().get()));
    results.push_back(&returns[i][0]);
  }
  if (!create_graph) ReuseGradBuffers(grads, tensors, outputs);
  Run(entry_, inputs, attrs_, outputs);
  // Like Paddle's nodes, so that hooks may compute with the results.
  for (Tensor* result : results) {
    if (result->defined()) SetStopGradient(result, false);
  }
  ReportKernel(entry_, inputs);
  CheckNumbers(entry_, returns);
  if (create_graph) {
    const GradMask all(tensors.size(), true);
    RecordGradient(entry_, defined, defined, all, attrs_, results);
  }
  return returns;
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

bool ReadsOverwritten(const OpSpec& spec) {
  if (spec.gradient == nullptr) return false;
  const auto& inputs = spec.gradient().inputs;
  return std::any_of(inputs.begin(), inputs.end(), [&](const InputSpec& input) {
    return input.source.kind == Source::kInput &&
           input.source.index == spec.inplace_input && input.needs_buffer;
  });
}

void RecordGradient(const OpSpec& spec,
                    const TensorPointers& inputs,
                    const TensorPointers& saved,
                    const GradMask& mask,
                    const Attrs& attrs,
                    const Results& results) {
  if (spec.gradient == nullptr) return;
  const OpSpec& entry = spec.gradient();
  const auto node = std::make_shared<GradNode>(spec, entry);
  for (size_t slot = 0; slot < entry.outputs.size(); ++slot) {
    const int i = entry.outputs[slot].forward_input;
    if (inputs[i] == nullptr || !mask[i]) continue;
    node->SetGradOutMeta(*inputs[i], slot);
  }
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!results[slot]->defined()) continue;
    Connect(results[slot], slot, node);
  }
  node->SaveInputs(saved, mask, attrs, results);
}

}  // namespace native_ops
