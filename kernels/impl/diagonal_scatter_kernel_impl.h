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

// The kernel of diagonal_scatter on every device. Whoever includes this header
// has included the strided_copy header of the device before.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/shared/diagonal_view.h"

namespace phi {

template <typename T, typename Context>
void DiagonalScatterKernel(const Context& dev_ctx,
                           const DenseTensor& x,
                           const DenseTensor& y,
                           int64_t offset,
                           int axis1,
                           int axis2,
                           DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  ops::ReplaceViewKernel<T>(
      dev_ctx,
      &x,
      &y,
      ops::DiagonalView(x.dims(), y.dims(), offset, axis1, axis2),
      out);
}

}  // namespace phi
