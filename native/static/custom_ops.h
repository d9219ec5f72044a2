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

// The shapes of the outputs. Shapes may hold -1.
Shapes InferShapes(const OpSpec& spec,
                   const Shapes& shapes,
                   const std::vector<phi::DataType>& dtypes,
                   const Attrs& attrs);

// The functions of one custom operator, which runs the entry `spec`. Its name
// and attributes are those of `base`.
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

using SpecFunction = const OpSpec& (*)();

// Paddle takes plain functions.
template <SpecFunction Base, SpecFunction Spec>
void RegisterCustom(size_t order) {
  using Anys = std::vector<paddle::any>;
  using Dtypes = std::vector<phi::DataType>;
  using SpmdInputs = std::vector<paddle::CustomSpmdInferTensorArg>;
  RegisterCustom(
      Base(),
      Spec(),
      order,
      {[](paddle::CustomOpKernelContext* context) {
         RunCustom(Base(), Spec(), context);
       },
       [](const Shapes& shapes, const std::vector<Shapes>&, const Anys& attrs) {
         return InferCustomShapes(Base(), Spec(), shapes, attrs);
       },
       [](const Dtypes& dtypes, const std::vector<Dtypes>&, const Anys&) {
         return InferCustomDtypes(Base(), Spec(), dtypes);
       },
       [](const SpmdInputs& inputs, const Anys& attrs) {
         return InferCustomSpmd(Base(), Spec(), inputs, attrs);
       }});
}

}  // namespace native_ops
