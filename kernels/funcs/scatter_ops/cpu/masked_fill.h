// CPU kernels of masked_fill and its gradient.

#pragma once

#include <cstdint>
#include <memory>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_ops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// Throws unless value broadcasts to the shape of out, which x and mask
// determine. A value of one element is a scalar of any rank.
inline void CheckFillValue(const DDim& out, const DDim& value) {
  if (common::product(value) == 1) return;
  bool fits = value.size() <= out.size();
  for (int i = 1; fits && i <= value.size(); ++i) {
    const int64_t dim = value[value.size() - i];
    fits = dim == 1 || dim == out[out.size() - i];
  }
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(masked_fill) The shape of value should be broadcastable to the shape "
        "that x and mask broadcast to, [%s], but received [%s].",
        out,
        value));
  }
}

// out = mask ? value : x. out may overlap any operand.
template <typename T, typename Context>
void MaskedFillCpuKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  using Storage = StorageType<T>;
  const DDim dims = out->dims();
  const int64_t numel = out->numel();
  CheckMaskDtype("masked_fill", mask);
  CheckSameDtype("masked_fill", x, "value", value);
  CheckFillValue(dims, value.dims());
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Read before Alloc: if x is out, was enlarged by InferMeta and exceeds its
  // memory, this throws.
  const auto* x_data = reinterpret_cast<const Storage*>(x.data<T>());
  const BroadcastOperand<Storage> x_view{x_data, {dims, x.dims()}};
  auto* out_data = reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::unique_ptr<DenseTensor> mask_copy;
  std::unique_ptr<DenseTensor> value_copy;
  const MaskView mask_view{CopyIfOverlapping<uint8_t>(
                               dev_ctx, mask, out_data, out_bytes, &mask_copy),
                           {dims, mask.dims()}};
  const BroadcastOperand<Storage> value_view{
      CopyIfOverlapping<Storage>(
          dev_ctx, value, out_data, out_bytes, &value_copy),
      {dims, value.dims()}};
  BroadcastSelect<Storage>(out_data, numel, x_view, mask_view, value_view);
}

// Either gradient may be null; x_grad may be out_grad.
template <typename T, typename Context>
void MaskedFillGradCpuKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  const DDim dims = BroadcastShape("masked_fill", x.dims(), mask.dims());
  CheckOutGrad("masked_fill_grad", out_grad, dims, x_grad);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  ResizeLike(x, x_grad);
  ResizeLike(value, value_grad);
  // value_grad first, since x_grad may be written over out_grad.
  MaskedGrad<T>(dev_ctx, dout, dims, mask, /*mask_value=*/true, value_grad);
  MaskedGrad<T>(dev_ctx, dout, dims, mask, /*mask_value=*/false, x_grad);
}

}  // namespace phi::funcs::scatter_ops
