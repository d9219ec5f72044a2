#include "kernels/base_kernels.h"

#include <sstream>
#include <tuple>
#include <type_traits>
#include <typeinfo>

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/masked_fill_grad_kernel.h"
#include "paddle/phi/kernels/masked_fill_kernel.h"
#include "paddle/phi/kernels/scatter_grad_kernel.h"
#include "paddle/phi/kernels/scatter_kernel.h"

// Exported by libpaddle.so, declared by no header of the wheel.
__attribute__((visibility("default")))
std::tuple<paddle::Tensor, paddle::Tensor>
masked_fill_grad_ad_func(const paddle::Tensor& x,
                         const paddle::Tensor& mask,
                         const paddle::Tensor& value,
                         const paddle::Tensor& out_grad);

namespace native_ops {
namespace {

using phi::CPUContext;
using phi::DataType;
using phi::Kernel;

// The kernels are called through the signatures that Paddle's headers declare.
template <typename A, typename B>
constexpr bool Same(A, B) {
  return std::is_same<A, B>::value;
}
namespace ops = phi::funcs::scatter_ops;
static_assert(Same(&phi::MaskedFillKernel<float, CPUContext>,
                   &ops::MaskedFillCpuKernel<float, CPUContext>));
static_assert(Same(&phi::MaskedFillGradKernel<float, CPUContext>,
                   &ops::MaskedFillGradCpuKernel<float, CPUContext>));
static_assert(Same(&phi::ScatterKernel<float, CPUContext>,
                   &ops::ScatterByIndexKernel<float, CPUContext>));
static_assert(Same(&phi::ScatterGradKernel<float, CPUContext>,
                   &ops::ScatterByIndexGradKernel<float, CPUContext>));

constexpr const char* kTaken[] = {
    "masked_fill", "masked_fill_grad", "scatter", "scatter_grad"};

// What ours for an operator are registered as, at the end of this file.
std::string NameOfOurs(const std::string& name) { return "native_" + name; }

const phi::KernelKeyMap& KernelsOf(const std::string& name) {
  static const phi::KernelKeyMap none;
  const auto& all = phi::KernelFactory::Instance().kernels();
  const auto found = all.find(name);
  return found == all.end() ? none : found->second;
}

// float32 stands for all: the dtypes of an operator share their arguments.
const Kernel* Sample(const std::string& name) {
  const phi::KernelKey key(
      phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, DataType::FLOAT32);
  const auto found = KernelsOf(name).find(key);
  return found == KernelsOf(name).end() ? nullptr : &found->second;
}

// Everything about a kernel's arguments that has to agree, in words.
std::string Words(const Kernel& kernel) {
  std::ostringstream words;
  for (const auto& input : kernel.args_def().input_defs()) {
    // Ours take no other kind.
    const bool is_dense = input.type_index == typeid(phi::DenseTensor);
    words << (is_dense ? "" : "another kind of ") << input.dtype << ", ";
  }
  for (const auto& attribute : kernel.args_def().attribute_defs()) {
    words << attribute.type_index << ", ";
  }
  words << kernel.args_def().output_defs().size() << " outputs";
  return words.str();
}

}  // namespace

std::string Misfit(const std::string& name, const std::string& as) {
  const Kernel* registered = Sample(name);
  const Kernel* ours = Sample(NameOfOurs(as));
  if (registered == nullptr || ours == nullptr) {
    return "there is no float32 kernel";
  }
  const std::string found = Words(*registered);
  const std::string expected = Words(*ours);
  if (found == expected) return "";
  return "it takes (" + found + "), expected (" + expected + ")";
}

std::string TakeOverBaseKernels() {
  for (const std::string name : kTaken) {
    const std::string misfit = Misfit(name, name);
    if (!misfit.empty()) {
      return "its operator " + name + " has other kernels: " + misfit;
    }
  }
  for (const std::string name : kTaken) {
    auto& registered = phi::KernelFactory::Instance().kernels()[name];
    for (const auto& [key, kernel] : KernelsOf(NameOfOurs(name))) {
      registered[key] = kernel;
    }
  }
  return "";
}

std::vector<TakenKernel> TakenKernels() {
  std::vector<TakenKernel> taken;
  for (const char* name : kTaken) {
    taken.push_back({name, {}});
    for (const auto& [key, kernel] : KernelsOf(NameOfOurs(name))) {
      const auto now = KernelsOf(name).find(key);
      if (now != KernelsOf(name).end() &&
          now->second.GetVariadicKernelFn<void*>() ==
              kernel.GetVariadicKernelFn<void*>()) {
        taken.back().dtypes.push_back(phi::DataTypeToString(key.dtype()));
      }
    }
  }
  return taken;
}

std::vector<paddle::Tensor> MaskedFillGradRecorded(
    const std::vector<paddle::Tensor>& inputs, const Attrs&) {
  const auto [x_grad, value_grad] =
      masked_fill_grad_ad_func(inputs[0], inputs[1], inputs[2], inputs[3]);
  return {x_grad, value_grad};
}

}  // namespace native_ops

PD_REGISTER_KERNEL(native_masked_fill,
                   CPU,
                   ALL_LAYOUT,
                   phi::funcs::scatter_ops::MaskedFillCpuKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
PD_REGISTER_KERNEL(native_masked_fill_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::funcs::scatter_ops::MaskedFillGradCpuKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
PD_REGISTER_KERNEL(native_scatter,
                   CPU,
                   ALL_LAYOUT,
                   phi::funcs::scatter_ops::ScatterByIndexKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
PD_REGISTER_KERNEL(native_scatter_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::funcs::scatter_ops::ScatterByIndexGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

// The second order that the base does not have.
PD_REGISTER_KERNEL(scatter_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::funcs::scatter_ops::ScatterByIndexDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
