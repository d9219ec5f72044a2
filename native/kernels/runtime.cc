#include "kernels/runtime.h"

#include <iostream>
#include <string_view>

#include "kernels/instrumentation.h"
#include "paddle/phi/backends/context_pool.h"
#include "paddle/phi/core/infermeta_utils.h"
#include "paddle/phi/core/visit_type.h"
#include "paddle/phi/infermeta/unary.h"
#include "paddle/phi/kernels/contiguous_kernel.h"

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

const phi::Kernel& LookUpKernel(const OpSpec& spec, phi::DataType dtype) {
  for (const std::string& name : {NameOfOurs(spec.kernel), {spec.kernel}}) {
    const phi::Kernel& kernel =
        phi::KernelFactory::Instance().SelectKernel(name, KernelKeyOf(dtype));
    if (kernel.IsValid()) return kernel;
  }
  PADDLE_THROW(
      common::errors::Unimplemented("(%s) %s of dtype %s is not supported.",
                                    spec.name,
                                    spec.inputs[spec.dtype_input].name,
                                    phi::DataTypeToString(dtype)));
}

const phi::Kernel& FindKernel(const OpSpec& spec, phi::DataType dtype) {
  auto& known = spec.kernels[static_cast<size_t>(dtype)];
  const phi::Kernel* kernel = known.load(std::memory_order_acquire);
  if (kernel == nullptr) {
    kernel = &LookUpKernel(spec, dtype);
    known.store(kernel, std::memory_order_release);
  }
  return *kernel;
}

void Launch(const OpSpec& spec,
            const Inputs& inputs,
            const Attrs& attrs,
            const Outputs& outputs) {
  const Span span(
      spec.name, " kernel launch", phi::TracerEventType::DygraphKernelLaunch);
  const phi::DataType dtype = inputs[spec.dtype_input]->dtype();
  spec.run(FindKernel(spec, dtype), inputs, attrs, outputs);
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
  factory.kernels()[NameOfOurs(spec.kernel)] = kernels;
  factory.kernels().erase(spec.kernel);
}

void Run(const OpSpec& spec,
         const Inputs& inputs,
         const Attrs& attrs,
         const Outputs& outputs) {
  InferMeta(spec, inputs, attrs, outputs);
  Launch(spec, inputs, attrs, outputs);
}

void RunInplace(const OpSpec& spec, const Inputs& inputs, const Attrs& attrs) {
  const DenseTensor* x = inputs[spec.inplace_input];
  // Kept: to make a DenseTensor takes memory.
  thread_local DenseTensor result;
  InferMeta(spec, inputs, attrs, {&result});
  PADDLE_ENFORCE_EQ(
      result.dims(),
      x->dims(),
      common::errors::InvalidArgument(
          "(%s_) the result must have the shape of %s, which is changed in "
          "place, [%s], but it would have the shape [%s].",
          spec.name,
          spec.inputs[spec.inplace_input].name,
          x->dims(),
          result.dims()));
  Launch(spec, inputs, attrs, {const_cast<DenseTensor*>(x)});
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

phi::DataType UsualDtype(const char* name, phi::DataType x) {
  const std::string_view base(name);
  if (base == "mask") return phi::DataType::BOOL;
  return base == "index" ? phi::DataType::INT64 : x;
}

DenseTensor MetaOnly(const std::vector<int64_t>& shape, phi::DataType dtype) {
  DenseTensor tensor;
  MetaTensor meta(&tensor);
  meta.set_dims(common::make_ddim(shape));
  meta.set_dtype(dtype);
  return tensor;
}

const DenseTensor* DenseOf(const OpSpec& spec,
                           const char* name,
                           const paddle::Tensor& tensor) {
  if (!tensor.is_dense_tensor()) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %s must be a dense Tensor.", spec.name, name));
  }
  return static_cast<const DenseTensor*>(tensor.impl().get());
}

void ThrowReleased(const std::string& gradient, const std::string& what) {
  PADDLE_THROW(common::errors::PreconditionNotMet(
      "(%s) %s been released: the gradients of this graph were computed "
      "before. Set retain_graph=True in the first backward or grad call to "
      "compute them again.",
      gradient,
      what));
}

bool IsContiguous(const phi::DenseTensorMeta& meta) {
  int64_t stride = 1;
  for (int i = meta.dims.size() - 1; i >= 0; --i) {
    if (meta.strides[i] != stride) return meta.is_contiguous();
    stride *= meta.dims[i];
  }
  return true;
}

const DenseTensor* AsContiguous(const DenseTensor& tensor,
                                std::list<DenseTensor>* copies) {
  if (IsContiguous(tensor.meta())) return &tensor;
  PD_VISIT_ALL_TYPES(
      tensor.dtype(), "AsContiguous", ([&] {
        copies->push_back(
            phi::Contiguous<data_t, phi::CPUContext>(CpuContext(), tensor));
      }));
  return &copies->back();
}

}  // namespace native_ops
