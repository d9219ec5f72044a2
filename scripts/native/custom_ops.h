// The custom operators behind gradients, static graphs and distributed tensors.

#pragma once

#include <string>
#include <vector>

#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ext/spmd_infer.h"
#include "runtime.h"

namespace native_ops {

// Custom operators, for gradients, static graphs and distributed tensors. The
// string `native_zero_dim` lists 0-D tensors, which a static gradient takes for
// absent ones and which therefore come as shape [1]; `native_mode` lists the
// gradients that nobody wants, and may hold `inplace`.
//
// Each operator is there twice. The static form's gradient reads whole Tensors
// where it needs a shape. The dygraph form has an input `<x>_shape` for each
// of those, without elements and with the shape [0, <shape of x>], so that x
// itself need not be kept, nor kept unchanged, until backward.
enum class Form { kStatic, kDygraph };

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

inline constexpr const char* kDygraphSuffix = "_dygraph";

phi::DenseTensor ShapeCarrier(const phi::DenseTensor& tensor);

void RunCustom(const OpSpec& spec,
               Form form,
               paddle::CustomOpKernelContext* context);
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
template <const OpSpec& (*Spec)(), Form form>
struct CustomThunks {
  static void Kernel(paddle::CustomOpKernelContext* context) {
    RunCustom(Spec(), form, context);
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
                    Form form,
                    size_t order,
                    const CustomFunctions& functions);

template <const OpSpec& (*Forward)(), const OpSpec& (*Spec)(), Form form>
void RegisterForm(size_t order) {
  using Thunks = CustomThunks<Spec, form>;
  RegisterCustom(Forward(),
                 Spec(),
                 form,
                 order,
                 {Thunks::Kernel,
                  Thunks::InferShape,
                  Thunks::InferDtype,
                  Thunks::InferSpmd});
}

// For an operator whose gradient has none: an error for who differentiates it
// again. Without it Paddle would take the gradient for a constant.
void RegisterNoSecondOrder(const OpSpec& forward, const OpSpec& gradient);

template <const OpSpec& (*Forward)(), const OpSpec& (*Spec)()>
void RegisterCustom(size_t order) {
  RegisterForm<Forward, Spec, Form::kStatic>(order);
  RegisterForm<Forward, Spec, Form::kDygraph>(order);
}

// Makes the registered custom operators known to static graphs.
void RegisterWithFramework();

// Makes one known to dygraph, which copies all that it knows on every call of
// any of them: so none comes before its first call.
void AdmitToDygraph(const std::string& name);

// An operator whose gradient is an error. What a second-order gradient returns
// hangs on it, since Paddle would otherwise take it for a constant.
inline constexpr const char* kNoThirdOrder = "native_ops_no_third_order";

// Called with the inputs of a second-order gradient; may give its result the
// history of a call of kNoThirdOrder. Set by the Python module.
using GuardThirdOrder = void (*)(const std::vector<paddle::Tensor>& inputs,
                                 paddle::Tensor* output);
void SetGuardThirdOrder(GuardThirdOrder guard);

}  // namespace native_ops
