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

// index_reduce and its gradient, for all devices. Include the device's headers
// of the reductions and their gradients first.

#pragma once

#include <string>

#include "paddle/phi/kernels/index_reduce_grad_kernel.h"
#include "paddle/phi/kernels/index_reduce_kernel.h"

namespace phi {

template <typename T, typename Context>
void IndexReduceKernel(const Context& dev_ctx,
                       const DenseTensor& x,
                       const DenseTensor& index,
                       const DenseTensor& updates,
                       int axis,
                       const std::string& reduce,
                       bool include_self,
                       DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  const ops::IndexReduceCall call{
      ops::ParseIndexReduce(reduce), axis, include_self};
  ops::IndexReduceInto<T>(
      dev_ctx, ops::NonlinearReduces{}, call, x, index, updates, out);
}

template <typename T, typename Context>
void IndexReduceGradKernel(const Context& dev_ctx,
                           const DenseTensor& x,
                           const DenseTensor& index,
                           const DenseTensor& updates,
                           const DenseTensor& out,
                           const DenseTensor& out_grad,
                           int axis,
                           const std::string& reduce,
                           bool include_self,
                           DenseTensor* x_grad,
                           DenseTensor* updates_grad) {
  namespace ops = funcs::scatter_ops;
  const ops::IndexReduceCall call{
      ops::ParseIndexReduce(reduce), axis, include_self};
  ops::IndexReduceGradInto<T>(dev_ctx,
                              ops::NonlinearReduces{},
                              call,
                              x,
                              index,
                              updates,
                              out,
                              out_grad,
                              x_grad,
                              updates_grad);
}

}  // namespace phi
