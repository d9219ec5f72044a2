#include "kernels/base_kernels.h"

#include <tuple>

#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_fill.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

// Exported by libpaddle.so; no header of the wheel declares it.
__attribute__((visibility("default")))
std::tuple<paddle::Tensor, paddle::Tensor>
masked_fill_grad_ad_func(const paddle::Tensor& x,
                         const paddle::Tensor& mask,
                         const paddle::Tensor& value,
                         const paddle::Tensor& out_grad);

namespace native_ops {
namespace {

constexpr const char* kOverridden[] = {
    "masked_fill", "masked_fill_grad", "scatter", "scatter_grad"};

phi::KernelFactory& Registry() { return phi::KernelFactory::Instance(); }

}  // namespace

void OverridePaddleKernels() {
  for (const std::string name : kOverridden) {
    for (const auto& [key, kernel] :
         Registry().SelectKernelMap(NativeName(name))) {
      Registry().kernels()[name][key] = kernel;
    }
  }
}

std::map<std::string, std::vector<std::string>> OverriddenKernels() {
  std::map<std::string, std::vector<std::string>> overridden;
  for (const std::string name : kOverridden) {
    for (const auto& [key, kernel] :
         Registry().SelectKernelMap(NativeName(name))) {
      const phi::Kernel& current = Registry().SelectKernel(name, key);
      if (current.GetVariadicKernelFn<void*>() ==
          kernel.GetVariadicKernelFn<void*>()) {
        overridden[name].push_back(phi::DataTypeToString(key.dtype()));
      }
    }
  }
  return overridden;
}

std::vector<paddle::Tensor> MaskedFillGradAdFunc(
    const std::vector<paddle::Tensor>& inputs, const Attrs&) {
  const auto [x_grad, value_grad] =
      masked_fill_grad_ad_func(inputs[0], inputs[1], inputs[2], inputs[3]);
  return {x_grad, value_grad};
}

}  // namespace native_ops

// `name` must be NativeName(operator).
#define REGISTER_OVERRIDE(name, kernel)               \
  PD_REGISTER_KERNEL(name,                            \
                     CPU,                             \
                     ALL_LAYOUT,                      \
                     phi::funcs::scatter_ops::kernel, \
                     SCATTER_OPS_ALL_DTYPES)
REGISTER_OVERRIDE(native_masked_fill, MaskedFillCpuKernel) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
REGISTER_OVERRIDE(native_masked_fill_grad, MaskedFillGradCpuKernel) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
REGISTER_OVERRIDE(native_scatter, ScatterByIndexKernel) {}
REGISTER_OVERRIDE(native_scatter_grad, ScatterByIndexGradKernel) {}
// Paddle 3.3.1 has no second-order gradient of scatter.
REGISTER_OVERRIDE(scatter_double_grad, ScatterByIndexDoubleGradKernel) {}
