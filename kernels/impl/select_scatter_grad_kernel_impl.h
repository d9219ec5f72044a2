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

// The gradients of select_scatter on every device. Whoever includes this header
// has included the strided_copy header of the device before.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi {

template <typename T, typename Context>
void SelectScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& values,
                             const DenseTensor& out_grad,
                             int axis,
                             int64_t index,
                             DenseTensor* x_grad,
                             DenseTensor* values_grad) {
  namespace ops = funcs::scatter_ops;
  ops::ReplaceViewGradKernel<T>(
      dev_ctx,
      x,
      values,
      out_grad,
      ops::SelectView(x.dims(), values.dims(), axis, index),
      x_grad,
      values_grad);
}

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
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  ops::SizeGrad(x, grad_out_grad);
  ops::ReplaceViewKernel<T>(
      dev_ctx,
      grad_x_grad.get_ptr(),
      grad_values_grad.get_ptr(),
      ops::SelectView(x.dims(), values.dims(), axis, index),
      grad_out_grad);
}

}  // namespace phi
