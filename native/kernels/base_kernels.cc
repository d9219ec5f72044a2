#include "kernels/base_kernels.h"

#include <stdexcept>
#include <type_traits>

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/masked_fill_grad_kernel.h"
#include "paddle/phi/kernels/masked_fill_kernel.h"
#include "paddle/phi/kernels/scatter_grad_kernel.h"
#include "paddle/phi/kernels/scatter_kernel.h"

namespace native_ops {
namespace {

using phi::CPUContext;
using phi::DataType;
using phi::Kernel;
using phi::KernelArgsDef;
using phi::KernelKey;

// One kernel function: how it is called, and what it takes.
struct Function {
  DataType dtype;
  phi::KernelFn call;
  void* variadic;
  phi::KernelArgsParseFn parse;
};

template <typename T, auto kFunction>
Function FunctionOf() {
  using Type = decltype(kFunction);
  using Kernel = phi::KernelImpl<Type, kFunction>;
  return {phi::CppTypeToDataType<T>::Type(),
          &Kernel::Compute,
          reinterpret_cast<void*>(&Kernel::VariadicCompute),
          &phi::KernelArgsParseFunctor<Type>::Parse};
}

struct BaseKernel {
  const char* name;
  int mask_input;  // the input that is bool whatever the others are, or -1
  std::vector<Function> functions;

  KernelArgsDef Arguments(const Function& function) const {
    const KernelKey key(
        phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, function.dtype);
    Kernel kernel(function.call, function.variadic);
    function.parse(key, kernel.mutable_args_def());
    if (mask_input >= 0) kernel.InputAt(mask_input).SetDataType(DataType::BOOL);
    return kernel.args_def();
  }
};

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

template <typename T>
struct TypeTag {
  using type = T;
};

template <typename... T, typename F>
std::vector<Function> ForTypes(const F& function_of) {
  return {function_of(TypeTag<T>{})...};
}

const std::vector<BaseKernel>& BaseKernels() {
  static const std::vector<BaseKernel> all = {
      {"masked_fill", 1, ForTypes<SCATTER_OPS_ALL_DTYPES>([](auto tag) {
         using T = typename decltype(tag)::type;
         return FunctionOf<T, &ops::MaskedFillCpuKernel<T, CPUContext>>();
       })},
      {"masked_fill_grad", 1, ForTypes<SCATTER_OPS_ALL_DTYPES>([](auto tag) {
         using T = typename decltype(tag)::type;
         return FunctionOf<T, &ops::MaskedFillGradCpuKernel<T, CPUContext>>();
       })},
      {"scatter", -1, ForTypes<SCATTER_OPS_ALL_DTYPES>([](auto tag) {
         using T = typename decltype(tag)::type;
         return FunctionOf<T, &ops::ScatterByIndexKernel<T, CPUContext>>();
       })},
      {"scatter_grad", -1, ForTypes<SCATTER_OPS_ALL_DTYPES>([](auto tag) {
         using T = typename decltype(tag)::type;
         return FunctionOf<T, &ops::ScatterByIndexGradKernel<T, CPUContext>>();
       })},
  };
  return all;
}

KernelKey KeyOf(DataType dtype) {
  return {phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, dtype};
}

// The kernel that Paddle would run now, or null.
const Kernel* Registered(const std::string& name, DataType dtype) {
  const auto& all = phi::KernelFactory::Instance().kernels();
  const auto kernels = all.find(name);
  if (kernels == all.end()) return nullptr;
  const auto found = kernels->second.find(KeyOf(dtype));
  return found == kernels->second.end() ? nullptr : &found->second;
}

// float32 stands for all: the dtypes of an operator share their arguments.
const Function& Sample(const BaseKernel& kernel) {
  for (const Function& function : kernel.functions) {
    if (function.dtype == DataType::FLOAT32) return function;
  }
  throw std::logic_error("no float32 kernel");
}

const BaseKernel& KernelsFor(const std::string& name) {
  for (const BaseKernel& kernel : BaseKernels()) {
    if (name == kernel.name) return kernel;
  }
  throw std::invalid_argument("no kernels for " + name);
}

std::string Difference(const char* what, size_t base, size_t ours) {
  return "it takes " + std::to_string(base) + " " + what + ", expected " +
         std::to_string(ours);
}

void TakeOver(const BaseKernel& kernel) {
  auto& registered = phi::KernelFactory::Instance().kernels()[kernel.name];
  for (const Function& function : kernel.functions) {
    Kernel entry(function.call, function.variadic);
    *entry.mutable_args_def() = kernel.Arguments(function);
    registered[KeyOf(function.dtype)] = entry;
  }
}

}  // namespace

std::string Misfit(const std::string& name, const std::string& as) {
  const BaseKernel& kernels = KernelsFor(as);
  const Kernel* registered = Registered(name, DataType::FLOAT32);
  if (registered == nullptr) return "there is no float32 kernel";
  const KernelArgsDef& base = registered->args_def();
  const KernelArgsDef ours = kernels.Arguments(Sample(kernels));
  if (base.input_defs().size() != ours.input_defs().size()) {
    return Difference(
        "inputs", base.input_defs().size(), ours.input_defs().size());
  }
  if (base.output_defs().size() != ours.output_defs().size()) {
    return Difference(
        "outputs", base.output_defs().size(), ours.output_defs().size());
  }
  if (base.attribute_defs().size() != ours.attribute_defs().size()) {
    return Difference("attributes",
                      base.attribute_defs().size(),
                      ours.attribute_defs().size());
  }
  for (size_t i = 0; i < ours.input_defs().size(); ++i) {
    const auto& theirs = base.input_defs()[i];
    if (theirs.dtype != ours.input_defs()[i].dtype ||
        theirs.type_index != ours.input_defs()[i].type_index) {
      return "its input " + std::to_string(i) + " is of another type";
    }
  }
  for (size_t i = 0; i < ours.attribute_defs().size(); ++i) {
    if (base.attribute_defs()[i].type_index !=
        ours.attribute_defs()[i].type_index) {
      return "its attribute " + std::to_string(i) + " is of another type";
    }
  }
  return "";
}

std::string TakeOverBaseKernels() {
  for (const BaseKernel& kernel : BaseKernels()) {
    const std::string misfit = Misfit(kernel.name, kernel.name);
    if (!misfit.empty()) {
      return std::string("its operator ") + kernel.name +
             " has other kernels: " + misfit;
    }
  }
  for (const BaseKernel& kernel : BaseKernels()) TakeOver(kernel);
  return "";
}

std::vector<TakenKernel> TakenKernels() {
  std::vector<TakenKernel> taken;
  for (const BaseKernel& kernel : BaseKernels()) {
    taken.push_back({kernel.name, {}});
    for (const Function& function : kernel.functions) {
      const Kernel* now = Registered(kernel.name, function.dtype);
      if (now && now->GetVariadicKernelFn<void*>() == function.variadic) {
        taken.back().dtypes.push_back(phi::DataTypeToString(function.dtype));
      }
    }
  }
  return taken;
}

}  // namespace native_ops

// The second order that the base does not have.
PD_REGISTER_KERNEL(scatter_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::funcs::scatter_ops::ScatterByIndexDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
