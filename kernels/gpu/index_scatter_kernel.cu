#include "paddle/phi/kernels/index_scatter_kernel.h"
#include "paddle/phi/kernels/index_scatter_grad_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index_reduce.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index_reduce_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/impl/index_scatter_kernel_impl.h"

PD_REGISTER_KERNEL(index_scatter,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(index_scatter_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(index_scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
