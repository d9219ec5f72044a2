// CPU kernels of scatter and its gradients. They check what the InferMeta
// functions of scatter do not, and call the kernels of index_scatter.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/normalized_index.h"
#include "paddle/phi/kernels/index_scatter_grad_kernel.h"
#include "paddle/phi/kernels/index_scatter_kernel.h"

namespace phi::funcs::scatter_ops {

// If true, scatter returns x without further checks, as in Paddle 3.3.1.
inline bool IsEmptyScatter(const DenseTensor& x,
                           const DenseTensor& index,
                           const DenseTensor& updates) {
  return x.numel() == 0 || index.numel() == 0 || updates.numel() == 0;
}

// Checks what the InferMeta functions of scatter do not. `x`, called `name` in
// the message, is x or a gradient of its shape. Besides [n], the index may have
// the shape [] or [n, 1]. Rows of updates past the length of the index are
// ignored.
inline void CheckScatter(const char* name,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates) {
  CheckIndexDtype(index);
  CheckSameDtype("scatter", x, "updates", updates);
  const DDim& x_dims = x.dims();
  const DDim& dims = updates.dims();
  const int first = index.dims().size() == 0 ? 0 : 1;  // the dim of x_dims[1]
  bool fits = x_dims.size() > 0 && dims.size() == x_dims.size() - 1 + first;
  if (fits && first > 0) fits = dims[0] >= index.numel();
  for (int i = 1; fits && i < x_dims.size(); ++i) {
    fits = dims[i - 1 + first] == x_dims[i];
  }
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The shape of updates should be %s the dims of %s after the "
        "first, for %s of shape [%s] and index of shape [%s], but received "
        "[%s].",
        first > 0 ? "[n, ...], where n is at least the length of index and ... "
                    "are"
                  : "[...], where ... are",
        name,
        name,
        x_dims,
        index.dims(),
        dims));
  }
}

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
