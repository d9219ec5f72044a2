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
