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

#include "paddle/phi/kernels/index_reduce_grad_kernel.h"

#include "paddle/phi/backends/gpu/gpu_context.h"
#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/gpu_buffers.cu.h"
#include "paddle/phi/kernels/funcs/index_reduce_grad.cu.h"
#include "paddle/phi/kernels/funcs/scatter_op_dtypes.h"
#include "paddle/phi/kernels/index_reduce_kernel.h"

namespace phi {

namespace {

template <typename T>
const T* DataOrNull(const DenseTensor& tensor) {
  return tensor.numel() == 0 ? nullptr : tensor.data<T>();
}

template <typename T, typename Context>
T* AllocOrNull(const Context& dev_ctx, DenseTensor* tensor) {
  return tensor ? dev_ctx.template Alloc<T>(tensor) : nullptr;
}

template <typename T, typename Context>
void SetZeros(const Context& dev_ctx, DenseTensor* tensor) {
  if (tensor) funcs::scatter_ops::AllocZeros<T>(dev_ctx, tensor);
}

template <typename T, typename Context>
void SetCopy(const Context& dev_ctx,
             const DenseTensor& from,
             DenseTensor* tensor) {
  T* data = AllocOrNull<T>(dev_ctx, tensor);
  if (data == nullptr || tensor->numel() == 0) return;
  cudaMemcpyAsync(data,
                  from.data<T>(),
                  tensor->numel() * sizeof(T),
                  cudaMemcpyDeviceToDevice,
                  dev_ctx.stream());
}

// The tensor in `grad`, or zeros in `zeros`.
template <typename T, typename Context>
const DenseTensor& GradOrZeros(const Context& dev_ctx,
                               const paddle::optional<DenseTensor>& grad,
                               const DDim& dims,
                               DenseTensor* zeros) {
  if (grad) return *grad;
  zeros->Resize(dims);
  SetZeros<T>(dev_ctx, zeros);
  return *zeros;
}

}  // namespace

template <typename T, typename Context>
void IndexReduceGradKernel(const Context& dev_ctx,
                           const DenseTensor& x,
                           const DenseTensor& index,
                           const DenseTensor& updates,
                           const DenseTensor& out_grad,
                           int axis,
                           const std::string& reduce,
                           bool include_self,
                           DenseTensor* x_grad,
                           DenseTensor* updates_grad) {
  namespace ops = funcs::scatter_ops;
  const ops::IndexReduce kind = ops::ParseIndexReduce(reduce);
  const ops::AxisView view(x.dims(), updates.dims(), axis);
  if (index.numel() == 0 || x.numel() == 0) {
    ops::IndexOnGpu<Context>(dev_ctx, index, view.size, ops::GroupBy::kNone);
    SetCopy<T>(dev_ctx, out_grad, x_grad);
    SetZeros<T>(dev_ctx, updates_grad);
    return;
  }
  ops::IndexReduceGradGpu<T>(dev_ctx,
                             index,
                             view,
                             kind,
                             include_self,
                             {DataOrNull<T>(x),
                              DataOrNull<T>(updates),
                              DataOrNull<T>(out_grad),
                              AllocOrNull<T>(dev_ctx, x_grad),
                              AllocOrNull<T>(dev_ctx, updates_grad)});
}

template <typename T, typename Context>
void IndexReduceDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& index,
    const DenseTensor& updates,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_updates_grad,
    int axis,
    const std::string& reduce,
    bool include_self,
    DenseTensor* x_grad,
    DenseTensor* updates_grad,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  PADDLE_ENFORCE_EQ(
      ops::IsLinear(ops::ParseIndexReduce(reduce)),
      true,
      common::errors::Unimplemented(
          "(index_reduce) reduce '%s' has no second-order gradient, because it "
          "is not linear in x and updates: only assign, sum and mean can be "
          "differentiated twice.",
          reduce));
  SetZeros<T>(dev_ctx, x_grad);
  SetZeros<T>(dev_ctx, updates_grad);
  if (grad_out_grad == nullptr) return;
  DenseTensor x_zeros;
  DenseTensor updates_zeros;
  IndexReduceKernel<T, Context>(
      dev_ctx,
      GradOrZeros<T>(dev_ctx, grad_x_grad, x.dims(), &x_zeros),
      index,
      GradOrZeros<T>(
          dev_ctx, grad_updates_grad, updates.dims(), &updates_zeros),
      axis,
      reduce,
      include_self,
      grad_out_grad);
}

}  // namespace phi

PD_REGISTER_KERNEL(index_reduce_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexReduceGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}

PD_REGISTER_KERNEL(index_reduce_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::IndexReduceDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {}
