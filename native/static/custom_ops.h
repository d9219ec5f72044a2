// The custom operators behind static graphs and distributed tensors.

#pragma once

#include <string>
#include <vector>

#include "kernels/runtime.h"
#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ext/spmd_infer.h"

namespace native_ops {

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

// What the second order of an operator returns besides, and leaves empty.
std::vector<const char*> ExtraOutputs(const OpSpec& base, const OpSpec& spec);

void RunCustom(const OpSpec& base,
               const OpSpec& spec,
               paddle::CustomOpKernelContext* context);
Shapes InferCustomShapes(const OpSpec& base,
                         const OpSpec& spec,
                         const Shapes& inputs,
                         const std::vector<paddle::any>& attrs);
std::vector<phi::DataType> InferCustomDtypes(
    const OpSpec& base,
    const OpSpec& spec,
    const std::vector<phi::DataType>& inputs);

// Distributed tensors are replicated first, and so is every result.
phi::distributed::SpmdInfo InferCustomSpmd(
    const OpSpec& base,
    const OpSpec& spec,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const std::vector<paddle::any>& attrs);

using SpecFunction = const OpSpec& (*)();

// The plain functions that a custom operator is registered with.
template <SpecFunction Base, SpecFunction Spec>
struct CustomThunks {
  static void Kernel(paddle::CustomOpKernelContext* context) {
    RunCustom(Base(), Spec(), context);
  }
  static Shapes InferShape(const Shapes& inputs,
                           const std::vector<Shapes>&,
                           const std::vector<paddle::any>& attrs) {
    return InferCustomShapes(Base(), Spec(), inputs, attrs);
  }
  static std::vector<phi::DataType> InferDtype(
      const std::vector<phi::DataType>& inputs,
      const std::vector<std::vector<phi::DataType>>&,
      const std::vector<paddle::any>&) {
    return InferCustomDtypes(Base(), Spec(), inputs);
  }
  static phi::distributed::SpmdInfo InferSpmd(
      const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
      const std::vector<paddle::any>& attrs) {
    return InferCustomSpmd(Base(), Spec(), inputs, attrs);
  }
};

struct CustomFunctions {
  paddle::KernelFunc kernel;
  paddle::InferShapeFunc shape;
  paddle::InferDtypeFunc dtype;
  paddle::InferSpmdFunc spmd;
};

// `order`: 0 the operator, 1 its gradient, 2 the gradient's gradient, as Paddle
// counts from `base`, whose name and attributes all three have.
void RegisterCustom(const OpSpec& base,
                    const OpSpec& spec,
                    size_t order,
                    const CustomFunctions& functions);

template <SpecFunction Base, SpecFunction Spec>
void RegisterCustom(size_t order) {
  using Thunks = CustomThunks<Base, Spec>;
  RegisterCustom(Base(),
                 Spec(),
                 order,
                 {Thunks::Kernel,
                  Thunks::InferShape,
                  Thunks::InferDtype,
                  Thunks::InferSpmd});
}

// Makes the registered custom operators known to static graphs.
void RegisterWithFramework();

}  // namespace native_ops
