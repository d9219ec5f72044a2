#include "paddle/phi/kernels/diagonal_scatter_kernel.h"
#include "paddle/phi/kernels/diagonal_scatter_grad_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/strided_copy.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/impl/diagonal_scatter_kernel_impl.h"

PD_REGISTER_KERNEL(diagonal_scatter,
                   GPU,
                   ALL_LAYOUT,
                   phi::DiagonalScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(diagonal_scatter_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::DiagonalScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(diagonal_scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::DiagonalScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
