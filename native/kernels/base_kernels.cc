#include "kernels/base_kernels.h"

#include "kernels/runtime.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_fill.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

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
