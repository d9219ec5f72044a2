#include "paddle/phi/kernels/masked_scatter_kernel.h"
#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/masked_scatter.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/impl/masked_scatter_kernel_impl.h"

PD_REGISTER_KERNEL(masked_scatter,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
