#include "paddle/phi/kernels/index_scatter_kernel.h"
#include "paddle/phi/kernels/index_scatter_grad_kernel.h"

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/linear_grad.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/segment_reduce.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/impl/index_scatter_kernel_impl.h"

PD_REGISTER_KERNEL(index_scatter,
                   CPU,
                   ALL_LAYOUT,
                   phi::IndexScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(index_scatter_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::IndexScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(index_scatter_double_grad,
                   CPU,
                   ALL_LAYOUT,
                   phi::IndexScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
