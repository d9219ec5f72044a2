#include "kernels/base_ops.h"

#include <tuple>

#include "paddle/phi/api/include/tensor.h"
#include "paddle/phi/infermeta/backward.h"
#include "paddle/phi/infermeta/binary.h"
#include "paddle/phi/infermeta/ternary.h"
#include "paddle/phi/infermeta/unary.h"

// Exported by libpaddle.so, declared by no header of the wheel: the gradient as
// an operator, whose own gradient is recorded.
__attribute__((visibility("default")))
std::tuple<paddle::Tensor, paddle::Tensor>
masked_fill_grad_ad_func(const paddle::Tensor& x,
                         const paddle::Tensor& mask,
                         const paddle::Tensor& value,
                         const paddle::Tensor& out_grad);

namespace native_ops {

using paddle::Tensor;
using phi::CPUContext;
using phi::DenseTensor;

namespace {

constexpr From kNone = {From::kNowhere, -1};

InputSpec ForwardInput(const char* name) {
  return {name, false, true, name, kNone};
}

InputSpec Kept(const char* name, int at, bool needs_buffer) {
  return {name, false, needs_buffer, name, {From::kInput, at}};
}

// A gradient that may be absent.
InputSpec Incoming(const char* name, int at) {
  return {name, true, true, name, {From::kGradient, at}};
}

const InputSpec kOutGrad = {
    "out_grad", false, true, "out@GRAD", {From::kGradient, 0}};

// ---- masked_fill

void MaskedFillInfer(const MetaInputs& in,
                     const Attrs&,
                     const MetaOutputs& out) {
  phi::MaskedFillInferMeta(in[0], in[1], in[2], out[0]);
}

void MaskedFillRun(const phi::Kernel& kernel,
                   const Inputs& in,
                   const Attrs&,
                   const Outputs& out) {
  using Function = void (*)(const CPUContext&,
                            const DenseTensor&,
                            const DenseTensor&,
                            const DenseTensor&,
                            DenseTensor*);
  (*kernel.GetVariadicKernelFn<Function>())(
      CpuContext(), *in[0], *in[1], *in[2], out[0]);
}

void MaskedFillGradInfer(const MetaInputs& in,
                         const Attrs&,
                         const MetaOutputs& out) {
  phi::GeneralBinaryGradInferMeta(in[0], in[2], out[0], out[1]);
}

void MaskedFillGradRun(const phi::Kernel& kernel,
                       const Inputs& in,
                       const Attrs&,
                       const Outputs& out) {
  using Function = void (*)(const CPUContext&,
                            const DenseTensor&,
                            const DenseTensor&,
                            const DenseTensor&,
                            const DenseTensor&,
                            DenseTensor*,
                            DenseTensor*);
  (*kernel.GetVariadicKernelFn<Function>())(
      CpuContext(), *in[0], *in[1], *in[2], *in[3], out[0], out[1]);
}

std::vector<Tensor> MaskedFillGradRecorded(const std::vector<Tensor>& in,
                                           const Attrs&) {
  const auto [x_grad, value_grad] =
      masked_fill_grad_ad_func(in[0], in[1], in[2], in[3]);
  return {x_grad, value_grad};
}

const OpSpec& MaskedFillGradSpec() {
  static const OpSpec spec = {
      "masked_fill_grad",
      "masked_fill_grad",
      "masked_fill_grad",
      /*is_backward=*/true,
      /*gradient=*/nullptr,
      /*dtype_input=*/3,
      /*inplace_input=*/-1,
      {Kept("x", 0, false),
       Kept("mask", 1, true),
       Kept("value", 2, false),
       kOutGrad},
      {},
      {{"x_grad", "x@GRAD", /*from=*/0, /*over=*/3},
       {"value_grad", "value@GRAD", /*from=*/2, /*over=*/-1}},
      {},
      MaskedFillGradInfer,
      MaskedFillGradRun,
      MaskedFillGradRecorded};
  return spec;
}

// ---- scatter

void ScatterInfer(const MetaInputs& in,
                  const Attrs& attrs,
                  const MetaOutputs& out) {
  phi::ScatterInferMeta(in[0], in[1], in[2], std::get<bool>(attrs[0]), out[0]);
}

void ScatterRun(const phi::Kernel& kernel,
                const Inputs& in,
                const Attrs& attrs,
                const Outputs& out) {
  using Function = void (*)(const CPUContext&,
                            const DenseTensor&,
                            const DenseTensor&,
                            const DenseTensor&,
                            bool,
                            DenseTensor*);
  (*kernel.GetVariadicKernelFn<Function>())(
      CpuContext(), *in[0], *in[1], *in[2], std::get<bool>(attrs[0]), out[0]);
}

void ScatterGradInfer(const MetaInputs& in,
                      const Attrs& attrs,
                      const MetaOutputs& out) {
  phi::ScatterGradInferMeta(
      in[0], in[1], in[2], std::get<bool>(attrs[0]), out[0], out[1]);
}

void ScatterGradRun(const phi::Kernel& kernel,
                    const Inputs& in,
                    const Attrs& attrs,
                    const Outputs& out) {
  using Function = void (*)(const CPUContext&,
                            const DenseTensor&,
                            const DenseTensor&,
                            const DenseTensor&,
                            bool,
                            DenseTensor*,
                            DenseTensor*);
  (*kernel.GetVariadicKernelFn<Function>())(CpuContext(),
                                            *in[0],
                                            *in[1],
                                            *in[2],
                                            std::get<bool>(attrs[0]),
                                            out[0],
                                            out[1]);
}

void ScatterDoubleGradInfer(const MetaInputs& in,
                            const Attrs&,
                            const MetaOutputs& out) {
  phi::UnchangedInferMeta(in[2], out[0]);
}

void ScatterDoubleGradRun(const phi::Kernel& kernel,
                          const Inputs& in,
                          const Attrs& attrs,
                          const Outputs& out) {
  using Function = void (*)(const CPUContext&,
                            const DenseTensor&,
                            const DenseTensor&,
                            const DenseTensor&,
                            const paddle::optional<DenseTensor>&,
                            const paddle::optional<DenseTensor>&,
                            bool,
                            DenseTensor*);
  (*kernel.GetVariadicKernelFn<Function>())(CpuContext(),
                                            *in[0],
                                            *in[1],
                                            *in[2],
                                            Optional(in[3]),
                                            Optional(in[4]),
                                            std::get<bool>(attrs[0]),
                                            out[0]);
}

const OpSpec& ScatterDoubleGradSpec() {
  static const OpSpec spec = {
      "scatter_double_grad",
      "scatter_double_grad",
      "scatter_double_grad",
      /*is_backward=*/true,
      /*gradient=*/nullptr,
      /*dtype_input=*/2,
      /*inplace_input=*/-1,
      {Kept("index", 0, true),
       Kept("updates", 1, false),
       Kept("grad_out", 2, false),
       Incoming("grad_x_grad", 0),
       Incoming("grad_updates_grad", 1)},
      {{"overwrite", AttrType::kBool, /*from=*/0}},
      {{"grad_out_grad", "out@GRAD@GRAD", /*from=*/2, /*over=*/-1}},
      {},
      ScatterDoubleGradInfer,
      ScatterDoubleGradRun};
  return spec;
}

const OpSpec& ScatterGradSpec() {
  static const OpSpec spec = {
      "scatter_grad",
      "scatter_grad",
      "scatter_grad",
      /*is_backward=*/true,
      ScatterDoubleGradSpec,
      /*dtype_input=*/2,
      /*inplace_input=*/-1,
      {Kept("index", 1, true), Kept("updates", 2, false), kOutGrad},
      {{"overwrite", AttrType::kBool, /*from=*/0}},
      {{"x_grad", "x@GRAD", /*from=*/0, /*over=*/2},
       {"updates_grad", "updates@GRAD", /*from=*/2, /*over=*/-1}},
      {},
      ScatterGradInfer,
      ScatterGradRun};
  return spec;
}

}  // namespace

const OpSpec& MaskedFillSpec() {
  static const OpSpec spec = {
      "masked_fill",
      "masked_fill",
      "masked_fill",
      /*is_backward=*/false,
      MaskedFillGradSpec,
      /*dtype_input=*/0,
      /*inplace_input=*/0,
      {ForwardInput("x"), ForwardInput("mask"), ForwardInput("value")},
      {},
      {{"out", "out", -1, -1}},
      {},
      MaskedFillInfer,
      MaskedFillRun};
  return spec;
}

const OpSpec& ScatterSpec() {
  static const OpSpec spec = {
      "scatter",
      "scatter",
      "scatter",
      /*is_backward=*/false,
      ScatterGradSpec,
      /*dtype_input=*/0,
      /*inplace_input=*/0,
      {ForwardInput("x"), ForwardInput("index"), ForwardInput("updates")},
      {{"overwrite", AttrType::kBool, -1}},
      {{"out", "out", -1, -1}},
      {},
      ScatterInfer,
      ScatterRun};
  return spec;
}

std::vector<const OpSpec*> BaseOps() {
  return {&MaskedFillSpec(), &MaskedFillGradSpec(), &ScatterSpec()};
}

}  // namespace native_ops
