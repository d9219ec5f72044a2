#include <memory>

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"
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
  std::unique_ptr<DenseTensor> empty;
  IndexScatterDoubleGradKernel<T>(
      dev_ctx,
      /*x=*/grad_out,
      ops::CheckScatter("grad_out", grad_out, index, updates, &empty),
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
