#include "kernels/runtime.h"

#include <iostream>

#include "kernels/instrumentation.h"
#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/core/infermeta_utils.h"

// Exported by libphi.so; no header of the wheel declares it.
namespace paddle::experimental {
phi::DenseTensor Trans2Contiguous(const phi::DenseTensor& tensor);
}  // namespace paddle::experimental

namespace native_ops {

using phi::DenseTensor;
using phi::MetaTensor;

const phi::CPUContext& CpuContext() {
  static const auto* context = static_cast<const phi::CPUContext*>(
      phi::DeviceContextPool::Instance().Get(phi::CPUPlace()));
  return *context;
}

namespace {

void InferMeta(const OpSpec& spec,
               const Inputs& inputs,
               const Attrs& attrs,
               const Outputs& outputs) {
  const Span span(
      spec.name, " infer_meta", phi::TracerEventType::OperatorInner);
  MetaInputs metas;
  metas.reserve(inputs.size());
  for (const DenseTensor* input : inputs) {
    metas.push_back(input == nullptr ? MetaTensor() : MetaTensor(*input));
  }
  MetaInputs out_metas;
  out_metas.reserve(outputs.size());
  MetaOutputs out_pointers;
  for (DenseTensor* output : outputs) {
    out_metas.emplace_back(output);
    out_pointers.push_back(output == nullptr ? nullptr : &out_metas.back());
  }
  spec.infer_meta(metas, attrs, out_pointers);
}

std::string HiddenName(const OpSpec& spec) {
  return std::string("native_") + spec.kernel;
}

const phi::Kernel& FindKernel(const OpSpec& spec, phi::DataType dtype) {
  const bool is_hidden = spec.is_backward && !spec.is_base;
  return phi::KernelFactory::Instance()
      .SelectKernelOrThrowError(
          is_hidden ? HiddenName(spec) : spec.kernel,
          {phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, dtype})
      .kernel;
}

}  // namespace

std::vector<DenseTensor> InferOutputs(const OpSpec& spec,
                                      const Inputs& inputs,
                                      const Attrs& attrs) {
  std::vector<DenseTensor> results(spec.outputs.size());
  Outputs outputs;
  for (DenseTensor& result : results) outputs.push_back(&result);
  InferMeta(spec, inputs, attrs, outputs);
  return results;
}

void HideGradientKernels(const OpSpec& spec) {
  auto& factory = phi::KernelFactory::Instance();
  const phi::KernelKeyMap kernels = factory.SelectKernelMap(spec.kernel);
  if (kernels.empty()) return;
  factory.kernels()[HiddenName(spec)] = kernels;
  factory.kernels().erase(spec.kernel);
}

void Run(const OpSpec& spec,
         const Inputs& inputs,
         const Attrs& attrs,
         const Outputs& outputs) {
  const phi::Kernel& kernel =
      FindKernel(spec, inputs[spec.dtype_input]->dtype());
  InferMeta(spec, inputs, attrs, outputs);
  const Span span(
      spec.name, " kernel launch", phi::TracerEventType::DygraphKernelLaunch);
  spec.run(kernel, inputs, attrs, outputs);
}

void ReportKernel(const OpSpec& spec, const Inputs& inputs) {
  if (FLAGS_low_precision_op_list) {
    phi::KernelFactory::Instance().AddToLowPrecisionKernelList(
        spec.name, inputs[spec.dtype_input]->dtype());
  }
  if (FLAGS_benchmark) {
    std::cout << spec.name << " kernel run finish." << std::endl;
  }
}

const DenseTensor* DenseOf(const OpSpec& spec,
                           const char* name,
                           const paddle::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_dense_tensor() ||
      (tensor.initialized() && !tensor.is_cpu())) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %s should be a dense Tensor on the CPU.", spec.name, name));
  }
  return static_cast<const DenseTensor*>(tensor.impl().get());
}

void ThrowReleased(const std::string& node) {
  PADDLE_THROW(common::errors::Fatal(
      "The TensorWrappers of %s do not exist. This may be because:\n"
      "You calculate backward twice for the same subgraph without setting "
      "retain_graph=True. Please set retain_graph=True in the first "
      "backward/grad call.\n",
      node));
}

const DenseTensor* AsContiguous(const DenseTensor& tensor,
                                std::list<DenseTensor>* copies) {
  if (tensor.meta().is_contiguous()) return &tensor;
  copies->push_back(paddle::experimental::Trans2Contiguous(tensor));
  return &copies->back();
}

}  // namespace native_ops
