// The custom operators behind static graphs and distributed tensors.

#pragma once

#include <string>
#include <vector>

#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ext/spmd_infer.h"
#include "runtime.h"

namespace native_ops {

// The string `native_zero_dim` lists 0-D tensors, which a static gradient takes
// for absent ones and which therefore come as shape [1].

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

void RunCustom(const OpSpec& spec, paddle::CustomOpKernelContext* context);
Shapes InferCustomShapes(const OpSpec& spec,
                         const Shapes& inputs,
                         const std::vector<paddle::any>& attrs);
std::vector<phi::DataType> InferCustomDtypes(
    const OpSpec& spec, const std::vector<phi::DataType>& inputs);

// Distributed tensors are replicated first, and so is every result.
phi::distributed::SpmdInfo InferCustomSpmd(
    const OpSpec& spec,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const std::vector<paddle::any>& attrs);

// The plain functions that a custom operator is registered with.
template <const OpSpec& (*Spec)()>
struct CustomThunks {
  static void Kernel(paddle::CustomOpKernelContext* context) {
    RunCustom(Spec(), context);
  }
  static Shapes InferShape(const Shapes& inputs,
                           const std::vector<Shapes>&,
                           const std::vector<paddle::any>& attrs) {
    return InferCustomShapes(Spec(), inputs, attrs);
  }
  static std::vector<phi::DataType> InferDtype(
      const std::vector<phi::DataType>& inputs,
      const std::vector<std::vector<phi::DataType>>&,
      const std::vector<paddle::any>&) {
    return InferCustomDtypes(Spec(), inputs);
  }
  static phi::distributed::SpmdInfo InferSpmd(
      const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
      const std::vector<paddle::any>& attrs) {
    return InferCustomSpmd(Spec(), inputs, attrs);
  }
};

struct CustomFunctions {
  paddle::KernelFunc kernel;
  paddle::InferShapeFunc shape;
  paddle::InferDtypeFunc dtype;
  paddle::InferSpmdFunc spmd;
};

// `order`: 0 the operator, 1 its gradient, 2 the gradient's gradient. The name
// and the attributes are the forward entry's for all three.
void RegisterCustom(const OpSpec& forward,
                    const OpSpec& spec,
                    size_t order,
                    const CustomFunctions& functions);

template <const OpSpec& (*Forward)(), const OpSpec& (*Spec)()>
void RegisterCustom(size_t order) {
  using Thunks = CustomThunks<Spec>;
  RegisterCustom(Forward(),
                 Spec(),
                 order,
                 {Thunks::Kernel,
                  Thunks::InferShape,
                  Thunks::InferDtype,
                  Thunks::InferSpmd});
}

// Makes the registered custom operators known to static graphs.
void RegisterWithFramework();

// Makes one known to dygraph, which copies all that it knows on every call of
// any of them: so none comes before its first call.
void AdmitToDygraph(const std::string& name);

}  // namespace native_ops
