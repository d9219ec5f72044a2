// CPU kernels of scatter and its gradients, which call the kernels of
// index_scatter.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/normalized_index.h"
#include "paddle/phi/kernels/index_scatter_grad_kernel.h"
#include "paddle/phi/kernels/index_scatter_kernel.h"

namespace phi::funcs::scatter_ops {

// Allocates `to` and copies `from` into it, unless they share their memory.
template <typename T, typename Context>
void CopyTo(const Context& dev_ctx, const T* from, DenseTensor* to) {
  T* data = dev_ctx.template Alloc<T>(to);
  ParallelCopy(data, from, to->numel() * static_cast<int64_t>(sizeof(T)));
}

// The reduction of index_scatter.
inline const char* ReduceOf(bool overwrite) {
  return overwrite ? "assign" : "sum";
}

template <typename T, typename Context>
void ScatterByIndexKernel(const Context& dev_ctx,
                          const DenseTensor& x,
                          const DenseTensor& index,
                          const DenseTensor& updates,
                          bool overwrite,
                          DenseTensor* out) {
  if (IsEmptyScatter(x, index, updates)) {
    CopyTo(dev_ctx, DataOrNull<T>(x), out);
    return;
  }
  CheckScatter("x", x, index, updates);
  IndexScatterKernel<T, Context>(dev_ctx,
                                 x,
                                 index,
                                 updates,
                                 /*axis=*/0,
                                 ReduceOf(overwrite),
                                 /*include_self=*/false,
                                 out);
}

// With overwrite, the last update of a slice receives the gradient of the
// slice, the others receive zeros. x_grad may be out_grad.
template <typename T, typename Context>
void ScatterByIndexGradKernel(const Context& dev_ctx,
                              const DenseTensor& index,
                              const DenseTensor& updates,
                              const DenseTensor& out_grad,
                              bool overwrite,
                              DenseTensor* x_grad,
                              DenseTensor* updates_grad) {
  if (IsEmptyScatter(out_grad, index, updates)) {
    const DenseTensor dout = out_grad;  // x_grad may be the same object
    ResizeLike(out_grad, x_grad);
    ResizeLike(updates, updates_grad);
    if (x_grad) CopyTo(dev_ctx, DataOrNull<T>(dout), x_grad);
    if (updates_grad) AllocZeros<T>(dev_ctx, updates_grad);
    return;
  }
  // A hook may have replaced out_grad.
  CheckScatter("out_grad", out_grad, index, updates);
  IndexScatterGradKernel<T, Context>(dev_ctx,
                                     /*x=*/out_grad,
                                     index,
                                     updates,
                                     out_grad,
                                     /*axis=*/0,
                                     ReduceOf(overwrite),
                                     /*include_self=*/false,
                                     x_grad,
                                     updates_grad);
}

// The gradient is linear in out_grad, and its transpose is scatter.
template <typename T, typename Context>
void ScatterByIndexDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& index,
    const DenseTensor& updates,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_updates_grad,
    bool overwrite,
    DenseTensor* grad_out_grad) {
  if (grad_out_grad == nullptr) return;
  if (IsEmptyScatter(grad_out, index, updates)) {
    CheckGradDims("scatter_double_grad",
                  "grad_x_grad",
                  grad_x_grad.get_ptr(),
                  grad_out.dims());
    ResizeLike(grad_out, grad_out_grad);
    if (grad_x_grad) {
      CopyTo(dev_ctx, DataOrNull<T>(*grad_x_grad), grad_out_grad);
    } else {
      AllocZeros<T>(dev_ctx, grad_out_grad);
    }
    return;
  }
  CheckScatter("grad_out", grad_out, index, updates);
  IndexScatterDoubleGradKernel<T, Context>(dev_ctx,
                                           /*x=*/grad_out,
                                           index,
                                           updates,
                                           grad_out,
                                           grad_x_grad,
                                           grad_updates_grad,
                                           /*axis=*/0,
                                           ReduceOf(overwrite),
                                           /*include_self=*/false,
                                           grad_out_grad);
}

}  // namespace phi::funcs::scatter_ops
