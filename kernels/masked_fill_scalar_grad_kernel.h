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

namespace phi {

// x_grad = mask ? 0 : out_grad, summed to the shape of x.
template <typename T, typename Context>
void MaskedFillScalarGradKernel(const Context& dev_ctx,
                                const DenseTensor& x,
                                const DenseTensor& mask,
                                const DenseTensor& out_grad,
                                DenseTensor* x_grad);

// grad_out_grad = mask ? 0 : grad_x_grad, broadcast to the shape of grad_out.
template <typename T, typename Context>
void MaskedFillScalarDoubleGradKernel(const Context& dev_ctx,
                                      const DenseTensor& mask,
                                      const DenseTensor& grad_out,
                                      const DenseTensor& grad_x_grad,
                                      DenseTensor* grad_out_grad);

}  // namespace phi
