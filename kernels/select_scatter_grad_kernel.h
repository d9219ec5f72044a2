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

#pragma once

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/utils/optional.h"

namespace phi {

// x_grad = out_grad with the slice cleared, values_grad = the slice of
// out_grad. Either may be null.
template <typename T, typename Context>
void SelectScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& values,
                             const DenseTensor& out_grad,
                             int axis,
                             int64_t index,
                             DenseTensor* x_grad,
                             DenseTensor* values_grad);

// The forward operator applied to the gradients; a missing one is zero.
template <typename T, typename Context>
void SelectScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& values,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_values_grad,
    int axis,
    int64_t index,
    DenseTensor* grad_out_grad);

}  // namespace phi
