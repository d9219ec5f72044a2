// CPU kernels of scatter and its gradients, which call the kernels of
// index_scatter.

#pragma once

#include <memory>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"
#include "paddle/phi/kernels/index_scatter_grad_kernel.h"
#include "paddle/phi/kernels/index_scatter_kernel.h"

namespace phi::funcs::scatter_ops {

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
  std::unique_ptr<DenseTensor> empty;
  IndexScatterKernel<T, Context>(dev_ctx,
                                 x,
                                 CheckScatter("x", x, index, updates, &empty),
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
  std::unique_ptr<DenseTensor> empty;
  IndexScatterGradKernel<T, Context>(
      dev_ctx,
      /*x=*/out_grad,
      // A hook may have replaced out_grad.
      CheckScatter("out_grad", out_grad, index, updates, &empty),
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
  std::unique_ptr<DenseTensor> empty;
  IndexScatterDoubleGradKernel<T, Context>(
      dev_ctx,
      /*x=*/grad_out,
      CheckScatter("grad_out", grad_out, index, updates, &empty),
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
