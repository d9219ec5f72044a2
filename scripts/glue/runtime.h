// What the generated glue and the hand-written runtime share.
//
// The generator turns every YAML entry into one Entry: names, argument kinds
// and two thunks that know the C++ types. Everything else (reading Python
// arguments, making inputs contiguous, finding the kernel, custom operators)
// works on Entry and lives once, in runtime.cc, module.cc and custom_op.cc.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ext/spmd_infer.h"
#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/common/scalar.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/meta_tensor.h"
#include "paddle/utils/optional.h"

namespace native_glue {

using phi::DenseTensor;
using phi::MetaTensor;

// AttrKind counts as AttrValue's alternatives do.
using AttrValue = std::variant<bool,
                               int,
                               int64_t,
                               float,
                               std::string,
                               phi::Scalar,
                               std::vector<int64_t>>;
enum class AttrKind {
  kBool,
  kInt,
  kInt64,
  kFloat,
  kString,
  kScalar,
  kInt64s,
};

constexpr size_t kMaxTensors = 12;
constexpr size_t kMaxAttrs = 12;
constexpr int kNone = -1;

struct InputSpec {
  const char* name;
  bool optional;
  bool needs_buffer;
};

struct AttrSpec {
  const char* name;
  AttrKind kind;
};

struct InferMetaArgs {
  const MetaTensor* in;
  const AttrValue* attrs;
  MetaTensor* const* out;
  bool is_runtime;
};

struct KernelArgs {
  const phi::CPUContext& ctx;
  const DenseTensor* const* in;
  const AttrValue* attrs;
  DenseTensor* const* out;
};

using KernelCache = std::array<std::atomic<void*>, 32>;

// One `op` or `backward_op` entry.
struct Entry {
  const char* name;
  const char* kernel;
  bool is_backward;
  std::vector<InputSpec> inputs;
  std::vector<AttrSpec> attrs;
  std::vector<const char*> outputs;
  int dtype_input;     // whose dtype chooses the kernel
  int inplace_input;   // written by `<op>_`, or kNone
  int inplace_output;  // the output that stands for it
  void (*infer_meta)(const InferMetaArgs&);
  void (*call_kernel)(void* kernel, const KernelArgs&);
  KernelCache* cache;
};

// How a custom operator of one order (0 forward, 1 grad, 2 double grad) maps
// onto an Entry. A PIR program takes an empty shape in a custom gradient for a
// missing tensor, so the Python wrapper passes 0-D tensors as [1] and says so
// in the hidden attribute kZeroDims; `zero_bit` is the tensor's bit in there.
struct CustomTensor {
  std::string name;
  int zero_bit;
  int zeros_like;  // input whose shape a missing gradient has, or kNone
};

struct CustomOp {
  const Entry* entry;
  const Entry* forward;  // its attributes are every order's attributes
  int order;
  std::vector<CustomTensor> inputs;
  // The entry's outputs, then outputs that stay undefined: Paddle wants one
  // for every differentiable input that the gradient reads.
  std::vector<CustomTensor> outputs;
};

constexpr const char* kZeroDims = "native_zero_dims";

// ---- Running an entry -------------------------------------------------------

// Tensors of one call. `keep` owns contiguous copies and reshaped aliases.
struct Call {
  explicit Call(const Entry& e) : entry(e) {}

  const Entry& entry;
  std::array<const DenseTensor*, kMaxTensors> in{};
  std::array<AttrValue, kMaxAttrs> attrs;
  std::array<DenseTensor*, kMaxTensors> out{};  // null: not wanted
  std::vector<DenseTensor> keep;
  bool is_runtime = true;  // false: dims may be -1
};

// Checks buffers and makes strided inputs contiguous.
void PrepareInputs(Call* call);

// Sets the outputs' dims and dtypes.
void InferMeta(Call* call);

void RunKernel(Call* call);

// PrepareInputs, InferMeta into a scratch tensor, RunKernel into the input.
void RunInplace(Call* call, DenseTensor* target);

std::vector<const Entry*>& Entries();
int RegisterEntry(const Entry* entry);

// ---- Attributes -------------------------------------------------------------

// A Scalar as {kind, bits of the real part, bits of the imaginary part}: the
// only custom-operator attribute that keeps bool, int64, double and complex.
std::vector<int64_t> EncodeScalar(const phi::Scalar& value);
phi::Scalar DecodeScalar(const std::vector<int64_t>& code);

// Where the attributes of `forward` and the hidden kZeroDims stand in the
// custom operator: vectors last, since the legacy executor does not pass them
// to shape inference.
struct AttrOrder {
  std::vector<size_t> position;
  size_t zero_dims;
  std::vector<int> at;  // position -> attribute, kNone for kZeroDims
};
AttrOrder CustomAttrOrder(const Entry& forward);

// The hidden attribute holds the bits shifted by one: Paddle gives 1 to an
// int64 attribute that a legacy program leaves out.
inline int64_t PackZeroDims(int64_t bits) { return bits << 1; }
inline int64_t UnpackZeroDims(int64_t value) { return value >> 1; }

// ---- For the thunks ---------------------------------------------------------

template <typename Fn>
Fn KernelFn(void* kernel) {
  return reinterpret_cast<Fn>(kernel);
}

inline paddle::optional<DenseTensor> Optional(const DenseTensor* tensor) {
  return tensor ? paddle::optional<DenseTensor>(*tensor) : paddle::none;
}

// An InferMeta function may end in a MetaConfig that tells build time (dims may
// be -1) from run time.
template <typename Fn, typename... Args>
void CallInferMeta(Fn fn, bool is_runtime, Args&&... args) {
  if constexpr (std::is_invocable_v<Fn, Args..., phi::MetaConfig>) {
    fn(std::forward<Args>(args)..., phi::MetaConfig(is_runtime, false));
  } else {
    fn(std::forward<Args>(args)...);
  }
}

// ---- Custom operators -------------------------------------------------------

using Dims = std::vector<std::vector<int64_t>>;
using AnyAttrs = std::vector<paddle::any>;
using Dtypes = std::vector<phi::DataType>;

void RunCustomOp(const CustomOp& op, paddle::CustomOpKernelContext* ctx);
Dims CustomDims(const CustomOp& op, const Dims& in, const AnyAttrs& attrs);
Dtypes CustomDtypes(const CustomOp& op, const Dtypes& in);
// A rule for distributed tensors that is always right: replicate everything.
phi::distributed::SpmdInfo ReplicateAll(
    const CustomOp& op,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const AnyAttrs& attrs);

struct CustomFnTable {
  paddle::KernelFunc kernel;
  paddle::InferShapeFunc shape;
  paddle::InferDtypeFunc dtype;
  paddle::InferSpmdFunc spmd;
};

void RegisterCustomOp(const CustomOp& op, const CustomFnTable& fns);

// Custom operators want plain function pointers: one set for each CustomOp.
template <const CustomOp* op>
struct CustomFns {
  static void Kernel(paddle::CustomOpKernelContext* ctx) {
    RunCustomOp(*op, ctx);
  }
  static Dims Shape(const Dims& in,
                    const std::vector<Dims>& /*vector inputs*/,
                    const AnyAttrs& attrs) {
    return CustomDims(*op, in, attrs);
  }
  static Dtypes Dtype(const Dtypes& in,
                      const std::vector<Dtypes>& /*vector inputs*/,
                      const AnyAttrs& /*attrs*/) {
    return CustomDtypes(*op, in);
  }
  static phi::distributed::SpmdInfo Spmd(
      const std::vector<paddle::CustomSpmdInferTensorArg>& in,
      const AnyAttrs& attrs) {
    return ReplicateAll(*op, in, attrs);
  }
  static int Register() {
    RegisterCustomOp(*op, {Kernel, Shape, Dtype, Spmd});
    return op->order;
  }
};

}  // namespace native_glue
