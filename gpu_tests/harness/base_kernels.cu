// The kernels of operators that Paddle has, registered for our functions as the
// files of these operators do it.

#include <type_traits>

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/scatter.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/dtypes.h"

#ifndef SCATTER_OPS_STANDIN
#include "paddle/phi/kernels/scatter_grad_kernel.h"
#include "paddle/phi/kernels/scatter_kernel.h"

#define CHECK_TYPE(ours, declared)                                          \
  static_assert(                                                            \
      std::is_same<                                                         \
          decltype(&phi::funcs::scatter_ops::ours<float, phi::GPUContext>), \
          decltype(&phi::declared<float, phi::GPUContext>)>::value,         \
      #ours " must take what " #declared " takes")

CHECK_TYPE(ScatterByIndexKernel, ScatterKernel);
CHECK_TYPE(ScatterByIndexGradKernel, ScatterGradKernel);
#endif

#define REGISTER(name, function)                        \
  PD_REGISTER_KERNEL(name,                              \
                     GPU,                               \
                     ALL_LAYOUT,                        \
                     phi::funcs::scatter_ops::function, \
                     SCATTER_OPS_ALL_DTYPES)

REGISTER(scatter, ScatterByIndexKernel) {}
REGISTER(scatter_grad, ScatterByIndexGradKernel) {}
