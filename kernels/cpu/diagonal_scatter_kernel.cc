#include "paddle/phi/kernels/diagonal_scatter_kernel.h"
#include "paddle/phi/kernels/diagonal_scatter_grad_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/strided_copy.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/impl/diagonal_scatter_kernel_impl.h"

PD_REGISTER_KERNEL(diagonal_scatter,
                   CPU,
                   ALL_LAYOUT,
                   phi::DiagonalScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(diagonal_scatter_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::DiagonalScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(diagonal_scatter_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::DiagonalScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
