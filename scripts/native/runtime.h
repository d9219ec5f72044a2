// The part of the wheel target's glue that is the same for every operator. An
// operator is a table (OpSpec) that generate_native.py writes from its YAML.

#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ext/spmd_infer.h"
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/common/scalar.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/kernel_factory.h"
#include "paddle/phi/core/meta_tensor.h"
#include "paddle/utils/optional.h"

namespace native_ops {

enum class AttrType { kBool, kInt, kInt64, kFloat, kString, kInt64s, kScalar };

using Attr = std::variant<bool,
                          int,
                          int64_t,
                          float,
                          std::string,
                          std::vector<int64_t>,
                          phi::Scalar>;
using Attrs = std::vector<Attr>;
using Inputs = std::vector<const phi::DenseTensor*>;  // null: absent
using Outputs = std::vector<phi::DenseTensor*>;       // null: not wanted
using MetaInputs = std::vector<phi::MetaTensor>;
using MetaOutputs = std::vector<phi::MetaTensor*>;

struct InputSpec {
  const char* name;
  bool optional;
  bool needs_buffer;
  // What the input is called in a custom operator: a forward name, or a
  // gradient such as out@GRAD.
  const char* custom_name;
};

struct AttrSpec {
  const char* name;
  AttrType type;
};

struct OutputSpec {
  const char* name;
  const char* custom_name;
};

// An output that only a custom operator has, and leaves empty.
struct ExtraOutput {
  const char* custom_name;
  bool in_dygraph;
};

// One `op` or `backward_op` entry.
struct OpSpec {
  const char* name;
  const char* kernel;
  bool is_backward;
  bool is_last;       // a gradient that has none of its own
  int dtype_input;    // the input that the kernel's dtype comes from
  int inplace_input;  // -1: no in-place form
  std::vector<InputSpec> inputs;
  std::vector<AttrSpec> attrs;
  std::vector<OutputSpec> outputs;
  std::vector<ExtraOutput> extra_outputs;
  // Forward inputs of which a gradient reads nothing but the shape.
  std::vector<const char*> shape_inputs;
  void (*infer_meta)(const MetaInputs&, const Attrs&, const MetaOutputs&);
  void (*run)(const phi::Kernel&, const Inputs&, const Attrs&, const Outputs&);
};

const phi::CPUContext& CpuContext();

inline paddle::optional<phi::DenseTensor> Optional(
    const phi::DenseTensor* tensor) {
  if (tensor == nullptr) return paddle::none;
  return *tensor;
}

// What InferMeta says of the outputs.
std::vector<phi::DenseTensor> InferOutputs(const OpSpec& spec,
                                           const Inputs& inputs,
                                           const Attrs& attrs);

// InferMeta, then the kernel. `outputs` get their dims, dtype and memory.
void Run(const OpSpec& spec,
         const Inputs& inputs,
         const Attrs& attrs,
         const Outputs& outputs);

// The same, written into the input that the entry calls inplace. Nothing is
// written if the result would not have that input's shape.
void RunInplace(const OpSpec& spec, const Inputs& inputs, const Attrs& attrs);

phi::DenseTensor MetaOnly(const std::vector<int64_t>& shape,
                          phi::DataType dtype);

// `tensor` itself, or a copy in `copy` if its elements lie apart.
const phi::DenseTensor* AsContiguous(const phi::DenseTensor& tensor,
                                     phi::DenseTensor* copy);

// A Python scalar travels through a custom operator as {kind, bits, bits},
// since those have no attribute type that keeps all of int64, double and
// complex.
phi::Scalar DecodeScalar(const std::vector<int64_t>& code);

// Custom operators, for gradients, static graphs and distributed tensors. The
// attributes are the YAML's; then `zero_dim`, the names of 0-D tensors, which
// a static gradient takes for absent ones and which therefore come as shape
// [1]; then `mode`, names of gradients that nobody wants, and `inplace`; then
// the Scalars, which an old static graph does not pass on to InferShape.
//
// Each operator is there twice. The static form's gradient reads whole Tensors
// where it needs a shape. The dygraph form has an input `<x>_shape` for each
// of those, without elements and with the shape [0, <shape of x>], so that x
// itself need not be kept, nor kept unchanged, until backward.
enum class Form { kStatic, kDygraph };

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

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

template <const OpSpec& (*Forward)(), const OpSpec& (*Spec)()>
void RegisterCustom(size_t order) {
  RegisterForm<Forward, Spec, Form::kStatic>(order);
  RegisterForm<Forward, Spec, Form::kDygraph>(order);
}

// An operator whose gradient is an error. What a second-order gradient returns
// hangs on it, since Paddle would otherwise take it for a constant.
inline constexpr const char* kNoThirdOrder = "native_ops_no_third_order";

// Called with the inputs of a second-order gradient; may give its result the
// history of a call of kNoThirdOrder. Set by the Python module.
using GuardThirdOrder = void (*)(const std::vector<paddle::Tensor>& inputs,
                                 paddle::Tensor* output);
void SetGuardThirdOrder(GuardThirdOrder guard);

// Takes the kernels of the gradients out of Paddle's registry: an old static
// graph would look there for the operator that it finds by the same name.
void AdoptGradientKernels(const OpSpec& spec);

// Generated: all gradient entries.
const std::vector<const OpSpec*>& BackwardOps();

// Generated: the forward entries, and the Paddle they are for.
const std::vector<const OpSpec*>& ForwardOps();
extern const char* const kPaddleVersion;

}  // namespace native_ops
