#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/index_scatter_grad_kernel.h"

namespace phi {

// The adjoint of the GPU's scatter_grad, which gathers the gradient of a row
// for each of its updates, whatever `overwrite` says: they are summed.
template <typename T, typename Context>
void ScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& index,
    const DenseTensor& updates,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_updates_grad,
    bool overwrite,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  if (grad_out_grad == nullptr) return;
  if (ops::IsEmptyScatter(grad_out, index, updates)) {
    const DenseTensor* grad = grad_x_grad.get_ptr();
    ops::CheckGradDims(
        "scatter_double_grad", "grad_x_grad", grad, grad_out.dims());
    ops::ResizeLike(grad_out, grad_out_grad);
    T* out = ops::AllocZeros<T>(dev_ctx, grad_out_grad);
    const int64_t bytes = grad_out.numel() * sizeof(T);
    if (grad) ops::CopyBytes(dev_ctx, ops::DataOrNull<T>(*grad), bytes, out);
    return;
  }
  ops::CheckScatter("grad_out", grad_out, index, updates);
  IndexScatterDoubleGradKernel<T>(dev_ctx,
                                  /*x=*/grad_out,
                                  index,
                                  updates,
                                  grad_out,
                                  grad_x_grad,
                                  grad_updates_grad,
                                  /*axis=*/0,
                                  /*reduce=*/"sum",
                                  /*include_self=*/false,
                                  grad_out_grad);
}

}  // namespace phi

// The types of the GPU's scatter_grad.
PD_REGISTER_KERNEL(scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::ScatterDoubleGradKernel,
                   float,
                   double,
                   int,
                   int64_t,
                   phi::dtype::float16,
                   phi::dtype::bfloat16) {}
