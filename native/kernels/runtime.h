// Operator tables of the wheel's runtime, and functions that run an entry.
// generate_native.py generates an OpSpec from each YAML entry.

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

using Attr = std::variant<bool, int, int64_t, std::string>;
// Inline capacities cover every entry, so a call allocates none of these.
using Attrs = paddle::small_vector<Attr, 4>;
using Inputs =
    paddle::small_vector<const phi::DenseTensor*, 4>;        // null: absent
using Outputs = paddle::small_vector<phi::DenseTensor*, 4>;  // null: skipped
using MetaInputs = paddle::small_vector<phi::MetaTensor, 4>;
using MetaOutputs = paddle::small_vector<phi::MetaTensor*, 4>;

// The source of an input of a backward entry: the n-th input or result of the
// forward call, or the incoming gradient of the n-th result.
struct Source {
  enum Kind { kNone, kInput, kResult, kGradient } kind;
  int index;
};

struct InputSpec {
  const char* name;
  bool optional;
  bool needs_buffer;
  Source source;
};

struct AttrSpec {
  const char* name;
  Attr type;  // any value of the attribute's type
};

struct OutputSpec {
  const char* name;
  int forward_input;  // backward: the forward input that it is the gradient of
  int reused_input;   // the input whose buffer it may reuse, or -1
};

// One `op` or `backward_op` entry.
struct OpSpec {
  const char* name;
  const char* custom_op;
  const char* node;  // name of the gradient's node in the backward graph
  const char* kernel;
  bool is_backward;
  bool is_base;                 // one of Paddle's own operators
  const OpSpec& (*gradient)();  // null: not differentiable
  int dtype_input;              // selects the kernel's dtype
  std::vector<InputSpec> inputs;
  std::vector<AttrSpec> attrs;  // equal for an operator and its gradients
  std::vector<OutputSpec> outputs;
  void (*infer_meta)(const MetaInputs&, const Attrs&, const MetaOutputs&);
  void (*run)(const phi::Kernel&, const Inputs&, const Attrs&, const Outputs&);

  // The input that the in-place form of an operator overwrites; -1: no such
  // form.
  int inplace_input() const { return outputs[0].reused_input; }
};

const phi::CPUContext& CpuContext();

inline paddle::optional<phi::DenseTensor> Optional(
    const phi::DenseTensor* tensor) {
  if (tensor == nullptr) return paddle::none;
  return *tensor;
}

// Returns outputs with the dims and dtypes from InferMeta.
std::vector<phi::DenseTensor> InferOutputs(const OpSpec& spec,
                                           const Inputs& inputs,
                                           const Attrs& attrs);

// Runs InferMeta, then the kernel, which allocates `outputs`.
void Run(const OpSpec& spec,
         const Inputs& inputs,
         const Attrs& attrs,
         const Outputs& outputs);

// Returns the DenseTensor of `tensor`. Throws, naming the argument, unless it
// is dense and on the CPU.
const phi::DenseTensor* DenseOf(const OpSpec& spec,
                                const char* name,
                                const paddle::Tensor& tensor);

// Throws Paddle's error for a second backward through a released node.
[[noreturn]] void ThrowReleased(const std::string& node);

// Returns `tensor` itself if it is contiguous, else a contiguous copy that is
// owned by `copies`.
const phi::DenseTensor* AsContiguous(const phi::DenseTensor& tensor,
                                     std::list<phi::DenseTensor>* copies);

// Prefixes the name of a gradient's kernels. The legacy IR would call them as
// kernels of the custom operator's gradient, whose arguments differ.
void HideGradientKernels(const OpSpec& spec);

// Generated: all entries, and the version of Paddle they are compiled for.
const std::vector<const OpSpec*>& AllOps();
extern const char* const kPaddleVersion;

}  // namespace native_ops
