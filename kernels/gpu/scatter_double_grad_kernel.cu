// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
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
