#include "paddle/phi/kernels/masked_scatter_kernel.h"
#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"

#include <memory>

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi {

template <typename T, typename Context>
void MaskedScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  using Storage = ops::StorageType<T>;
  const int64_t numel = out->numel();
  // Read before Alloc: if x is out, was enlarged by InferMeta and exceeds its
  // memory, this throws.
  const void* x_data = numel == 0 ? nullptr : x.data();
  Storage* out_data =
      reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(out));
  if (numel == 0) return;

  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::unique_ptr<DenseTensor> mask_copy;
  std::unique_ptr<DenseTensor> value_copy;
  const int64_t value_numel = value.numel();
  const int64_t num_selected = ops::MaskedScatterCpu<Storage>(
      out_data,
      numel,
      {static_cast<const Storage*>(x_data), {out->dims(), x.dims()}},
      {ops::CopyIfOverlapping<uint8_t>(
           dev_ctx, mask, out_data, out_bytes, &mask_copy),
       {out->dims(), mask.dims()}},
      ops::CopyIfOverlapping<Storage>(
          dev_ctx, value, out_data, out_bytes, &value_copy),
      value_numel);
  ops::CheckEnoughValues("masked_scatter", num_selected, value_numel);
}

template <typename T, typename Context>
void MaskedScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  namespace ops = funcs::scatter_ops;
  using Storage = ops::StorageType<T>;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
  const int64_t numel = common::product(dims);
  ops::CheckOutGrad("masked_scatter_grad", out_grad, dims, x_grad);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  ops::ResizeLike(x, x_grad);
  ops::ResizeLike(value, value_grad);
  if (value_grad && numel == 0) {
    ops::AllocZeros<T>(dev_ctx, value_grad);
  } else if (value_grad) {
    // A single pass computes both gradients if x has the shape of out.
    const bool one_pass = x_grad && x_grad->numel() == numel;
    T* x_data = one_pass ? dev_ctx.template Alloc<T>(x_grad) : nullptr;
    T* value_data = dev_ctx.template Alloc<T>(value_grad);
    const int64_t selected = ops::MaskedScatterGradCpu<Storage>(
        static_cast<const Storage*>(dout.data()),
        numel,
        ops::ViewOf<uint8_t>(mask, dims),
        reinterpret_cast<Storage*>(x_data),
        reinterpret_cast<Storage*>(value_data),
        value_grad->numel());
    // In a static graph, the mask may differ from that of the forward operator.
    ops::CheckEnoughValues(
        "masked_scatter_grad", selected, value_grad->numel());
    if (one_pass) return;
  }
  ops::MaskedGrad<T>(dev_ctx, dout, dims, mask, /*mask_value=*/false, x_grad);
}

template <typename T, typename Context>
void MaskedScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& mask,
    const DenseTensor& value,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_value_grad,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  using Storage = ops::StorageType<T>;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
  const int64_t numel = common::product(dims);
  const char* const op = "masked_scatter_double_grad";
  ops::CheckGradDims(op, "grad_x_grad", grad_x_grad.get_ptr(), x.dims());
  ops::CheckGradDims(
      op, "grad_value_grad", grad_value_grad.get_ptr(), value.dims());
  grad_out_grad->Resize(dims);
  Storage* out =
      reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(grad_out_grad));
  if (numel == 0) return;

  const auto mask_view = ops::ViewOf<uint8_t>(mask, dims);
  const ops::BroadcastOperand<Storage> x_view =
      grad_x_grad ? ops::ViewOf<Storage>(*grad_x_grad, dims)
                  : ops::ZeroView<Storage>(dims);
  if (grad_value_grad) {
    const int64_t selected = ops::MaskedScatterCpu<Storage>(
        out,
        numel,
        x_view,
        mask_view,
        ops::StorageData<Storage>(grad_value_grad.get_ptr()),
        grad_value_grad->numel());
    ops::CheckEnoughValues(op, selected, grad_value_grad->numel());
  } else {
    ops::BroadcastSelect<Storage>(
        out, numel, x_view, mask_view, ops::ZeroView<Storage>(dims));
  }
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_scatter,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
