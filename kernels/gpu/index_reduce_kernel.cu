#include "paddle/phi/kernels/index_reduce_kernel.h"
#include "paddle/phi/kernels/index_reduce_grad_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index_reduce.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index_reduce_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"
#include "paddle/phi/kernels/impl/index_reduce_kernel_impl.h"

PD_REGISTER_KERNEL(index_reduce,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexReduceKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(index_reduce_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexReduceGradKernel,
                   phi::dtype::float16,
                   phi::dtype::bfloat16,
                   float,
                   double,
                   phi::dtype::complex<float>,
                   phi::dtype::complex<double>) {}
