// CPU kernels of Paddle's own operators. A registration overrides the kernel
// with this name and dtype in Paddle's kernel factory, since libphi.so
// registers its kernels first.

#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_fill.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

#define REGISTER_KERNEL(name, kernel)                 \
  PD_REGISTER_KERNEL(name,                            \
                     CPU,                             \
                     ALL_LAYOUT,                      \
                     phi::funcs::scatter_ops::kernel, \
                     SCATTER_OPS_ALL_DTYPES)
REGISTER_KERNEL(masked_fill, MaskedFillCpuKernel) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
REGISTER_KERNEL(masked_fill_grad, MaskedFillGradCpuKernel) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
REGISTER_KERNEL(scatter, ScatterByIndexKernel) {}
REGISTER_KERNEL(scatter_grad, ScatterByIndexGradKernel) {}
// Paddle 3.3.1 has no second-order gradient of scatter.
REGISTER_KERNEL(scatter_double_grad, ScatterByIndexDoubleGradKernel) {}
