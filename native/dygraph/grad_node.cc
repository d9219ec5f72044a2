#include "dygraph/grad_node.h"

#include <algorithm>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "kernels/instrumentation.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

class GradNode : public egr::GradNodeBase {
 public:
  // Saves the inputs that the gradient reads.
  GradNode(const OpSpec& call,
           const TensorPointers& inputs,
           const GradMask& mask,
           const Attrs& attrs);

  egr::TensorSlots operator()(egr::TensorSlots& grads,
                              bool create_graph,
                              bool is_new_grad) override;

  void ClearTensorWrappers() override {
    released_ = true;
    saved_inputs_.clear();
    saved_results_.clear();
  }

  std::shared_ptr<egr::GradNodeBase> Copy() const override {
    return std::make_shared<GradNode>(*this);
  }

  std::string name() override { return call_.node; }

  void ConnectInputs(const TensorPointers& inputs);
  // Saves the results that the gradient reads.
  void SaveResults(const Results& results);

 private:
  std::vector<Tensor> Arguments(egr::TensorSlots* grads);
  void ReuseGradBuffers(const egr::TensorSlots& grads,
                        const std::vector<Tensor>& tensors,
                        const Outputs& outputs) const;

  const OpSpec& call_;
  const OpSpec& entry_;  // runs in backward
  // The inputs of entry_ that are inputs and results of the call.
  paddle::small_vector<egr::TensorWrapper, 4> saved_inputs_;
  paddle::small_vector<egr::TensorWrapper, 1> saved_results_;
  GradMask output_mask_;  // of the outputs of entry_
  Attrs attrs_;
  bool released_ = false;
};

GradNode::GradNode(const OpSpec& call,
                   const TensorPointers& inputs,
                   const GradMask& mask,
                   const Attrs& attrs)
    : GradNodeBase(call.outputs.size(), call.gradient().outputs.size()),
      call_(call),
      entry_(call.gradient()),
      attrs_(attrs) {
  saved_inputs_.reserve(entry_.inputs.size());
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, at] = input.source;
    if (kind != Source::kInput) continue;
    saved_inputs_.emplace_back(*inputs[at], !input.needs_buffer);
  }
  for (const OutputSpec& output : entry_.outputs) {
    output_mask_.push_back(mask[output.forward_input]);
  }
}

void GradNode::ConnectInputs(const TensorPointers& inputs) {
  for (size_t slot = 0; slot < entry_.outputs.size(); ++slot) {
    const Tensor* input = inputs[entry_.outputs[slot].forward_input];
    if (input != nullptr && output_mask_[slot]) SetGradOutMeta(*input, slot);
  }
}

void GradNode::SaveResults(const Results& results) {
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, at] = input.source;
    if (kind != Source::kResult) continue;
    saved_results_.emplace_back(*results[at], !input.needs_buffer);
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
  auto saved_input = saved_inputs_.begin();
  auto saved_result = saved_results_.begin();
  std::vector<Tensor> arguments;
  arguments.reserve(entry_.inputs.size());
  for (const InputSpec& input : entry_.inputs) {
    const auto [kind, slot] = input.source;
    if (kind != Source::kGradient) {
      auto& saved = kind == Source::kInput ? saved_input : saved_result;
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
  if (create_graph && entry_.gradient == nullptr) {
    PADDLE_THROW(common::errors::Unavailable(
        "The Op %s doesn't have any grad op. If you don't intend calculating "
        "higher order derivatives, please set `create_graph`to False.",
        entry_.name));
  }
  if (released_) ThrowReleased(name());
  std::vector<Tensor> tensors = Arguments(&grads);
  egr::TensorSlots returns(entry_.outputs.size(), std::vector<Tensor>(1));
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
    RecordGradient(SaveInputs(entry_, defined, all, attrs_), defined, results);
  }
  return returns;
}

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
           input.source.index == spec.inplace_input() && input.needs_buffer;
  });
}

std::shared_ptr<GradNode> SaveInputs(const OpSpec& spec,
                                     const TensorPointers& inputs,
                                     const GradMask& mask,
                                     const Attrs& attrs) {
  return std::make_shared<GradNode>(spec, inputs, mask, attrs);
}

void RecordGradient(const std::shared_ptr<GradNode>& node,
                    const TensorPointers& inputs,
                    const Results& results) {
  node->ConnectInputs(inputs);
  for (size_t slot = 0; slot < results.size(); ++slot) {
    if (!results[slot]->defined()) continue;
    Connect(results[slot], slot, node);
  }
  node->SaveResults(results);
}

}  // namespace native_ops
