// The part of the wheel target's glue that is the same for every operator. An
// operator is a table (OpSpec) that generate_native.py writes from its YAML.

#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <variant>
#include <vector>

#include "paddle/phi/api/include/tensor.h"
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/kernel_factory.h"
#include "paddle/phi/core/meta_tensor.h"
#include "paddle/utils/optional.h"
#include "paddle/utils/small_vector.h"

namespace native_ops {

enum class AttrType { kBool, kInt, kInt64, kFloat, kString };

using Attr = std::variant<bool, int, int64_t, float, std::string>;
// As many as the entries have: of these a call takes no memory.
using Attrs = paddle::small_vector<Attr, 4>;
using Inputs =
    paddle::small_vector<const phi::DenseTensor*, 4>;        // null: absent
using Outputs = paddle::small_vector<phi::DenseTensor*, 4>;  // null: not wanted
using MetaInputs = paddle::small_vector<phi::MetaTensor, 4>;
using MetaOutputs = paddle::small_vector<phi::MetaTensor*, 4>;

// Where an input of a gradient comes from: the n-th input or result of the call
// that it is the gradient of, or what comes in for the n-th result.
struct From {
  enum Kind { kNowhere, kInput, kResult, kGradient } kind;
  int at;
};

struct InputSpec {
  const char* name;
  bool optional;
  bool needs_buffer;
  From from;
};

struct AttrSpec {
  const char* name;
  AttrType type;
  int from;  // of a gradient: which attribute of the call it is
};

struct OutputSpec {
  const char* name;
  int from;  // of a gradient: the input of the call that it belongs to
  int over;  // the input over which it may be written, or -1
};

// One `op` or `backward_op` entry.
struct OpSpec {
  const char* name;
  const char* custom_op;
  const char* node;  // what Paddle's profiler calls the node of its gradient
  const char* kernel;
  bool is_backward;
  bool is_base;                 // an operator that Paddle has
  const OpSpec& (*gradient)();  // null: there is none
  int dtype_input;              // the input that the kernel's dtype comes from
  int inplace_input;            // -1: no in-place form
  std::vector<InputSpec> inputs;
  std::vector<AttrSpec> attrs;
  std::vector<OutputSpec> outputs;
  // Inputs whose gradients only the custom operator returns, and leaves empty.
  std::vector<int> extra_outputs;
  void (*infer_meta)(const MetaInputs&, const Attrs&, const MetaOutputs&);
  void (*run)(const phi::Kernel&, const Inputs&, const Attrs&, const Outputs&);
  // Of a gradient that Paddle has too: Paddle's, which records its own
  // gradient.
  std::vector<paddle::Tensor> (*recorded)(const std::vector<paddle::Tensor>&,
                                          const Attrs&);
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

// The kernel, after InferMeta. `outputs` get their dims, dtype and memory.
void Run(const OpSpec& spec,
         const Inputs& inputs,
         const Attrs& attrs,
         const Outputs& outputs);

// The dtype that an input of that name has where x has `x`; the YAML has no
// word for it. An index may be of int32 too.
phi::DataType UsualDtype(const char* name, phi::DataType x);

phi::DenseTensor MetaOnly(const std::vector<int64_t>& shape,
                          phi::DataType dtype);

// The dense CPU Tensor in `tensor`; an error that names the argument if it is
// another kind.
const phi::DenseTensor* DenseOf(const OpSpec& spec,
                                const char* name,
                                const paddle::Tensor& tensor);

// The error of Paddle's nodes for a gradient that is computed twice.
[[noreturn]] void ThrowReleased(const std::string& node);

// `tensor` itself, or a copy at the end of `copies` if its elements lie apart.
const phi::DenseTensor* AsContiguous(const phi::DenseTensor& tensor,
                                     std::list<phi::DenseTensor>* copies);

// What this project's kernels for an operator are registered as where Paddle
// must not find them by its name.
inline std::string NameOfOurs(const std::string& name) {
  return "native_" + name;
}

inline phi::KernelKey KernelKeyOf(phi::DataType dtype) {
  return {phi::Backend::CPU, phi::DataLayout::ALL_LAYOUT, dtype};
}

// Registers the kernels of a gradient as ours alone: an old static graph would
// take them for the operator that it finds by the same name.
void HideGradientKernels(const OpSpec& spec);

// Generated: all entries, and the Paddle they are for.
const std::vector<const OpSpec*>& AllOps();
extern const char* const kPaddleVersion;

}  // namespace native_ops
