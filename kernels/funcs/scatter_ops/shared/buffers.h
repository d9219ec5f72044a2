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

// Buffers of the masked and scatter kernels, on every device.

#pragma once

#include <cstdint>
#include <optional>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/enforce.h"
#include "paddle/phi/core/tensor_utils.h"

namespace phi::funcs::scatter_ops {

// True if two buffers share a byte.
inline bool Overlap(const void* a,
                    int64_t a_bytes,
                    const void* b,
                    int64_t b_bytes) {
  const auto* a_begin = static_cast<const char*>(a);
  const auto* b_begin = static_cast<const char*>(b);
  return a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}

// Throws unless `grad`, a gradient that the kernel `op` reads, has the given
// dims: a hook may have replaced it.
inline void CheckGradDims(const char* op,
                          const char* name,
                          const DenseTensor& grad,
                          const DDim& dims) {
  if (grad.dims() == dims) return;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(%s) The shape of %s should be [%s], but received [%s].",
      op,
      name,
      dims,
      grad.dims()));
}

// CheckGradDims for the gradient of out. If x_grad is written over it,
// InferMeta has already given it the dims of x.
inline void CheckOutGrad(const char* op,
                         const DenseTensor& out_grad,
                         const DDim& dims,
                         const DenseTensor* x_grad) {
  if (&out_grad != x_grad) CheckGradDims(op, "out_grad", out_grad, dims);
}

// Gives a gradient, if there is to be one, the dims of what it is the gradient
// of. It may come with others: a program of the old IR hands InferMeta the
// first inputs of the kernel, whichever those are.
inline void SizeGrad(const DenseTensor& of, DenseTensor* grad) {
  if (grad != nullptr) grad->Resize(of.dims());
}

// The data of a tensor as words; null if there is none or it has no elements.
template <typename Word>
const Word* WordsOf(const DenseTensor* tensor) {
  if (tensor == nullptr || tensor->numel() == 0) return nullptr;
  return static_cast<const Word*>(tensor->data());
}

// The data of `in`, or of a copy of it in `copy` if writing `bytes` bytes to
// `out` would change what is still to be read; null if `in` has no elements.
template <typename T, typename Context>
const T* ReadApart(const Context& dev_ctx,
                   const DenseTensor& in,
                   const void* out,
                   int64_t bytes,
                   std::optional<DenseTensor>* copy) {
  const int64_t in_bytes = in.numel() * static_cast<int64_t>(sizeof(T));
  if (in_bytes == 0) return nullptr;
  const void* const data = in.data();
  if (!Overlap(data, in_bytes, out, bytes)) return static_cast<const T*>(data);
  Copy(dev_ctx, in, dev_ctx.GetPlace(), /*blocking=*/false, &copy->emplace());
  return static_cast<const T*>((*copy)->data());
}

}  // namespace phi::funcs::scatter_ops
