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

// Operands that are broadcast to a row-major output, as kernel arguments.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/fast_divmod.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// Maps row-major numbers to offsets in an operand: a BroadcastView as a kernel
// argument, or axes of the caller's choice.
class OperandView {
 public:
  OperandView() = default;

  explicit OperandView(const BroadcastView& view) {
    for (int i = 0; i < view.rank(); ++i) Append(view.dim(i), view.stride(i));
  }

  // Adds the next inner axis.
  void Append(int64_t dim, int64_t stride) {
    axes_[rank_++] = {dim, stride, FastDivMod<int64_t>(dim)};
    numel_ *= dim;
    is_flat_ = rank_ == 1 && stride == 1;
  }

  HOSTDEVICE int64_t numel() const { return numel_; }

  __device__ int64_t Offset(int64_t i) const {
    if (is_flat_) return i;
    int64_t offset = 0;
    for (int a = rank_ - 1; a >= 0; --a) {
      const Axis& axis = axes_[a];
      const int64_t outer = a > 0 ? axis.by_dim.Div(i) : 0;
      offset += (i - outer * axis.dim) * axis.stride;
      i = outer;
    }
    return offset;
  }

 private:
  struct Axis {
    int64_t dim;
    int64_t stride;
    FastDivMod<int64_t> by_dim;
  };

  int rank_ = 0;
  bool is_flat_ = false;
  int64_t numel_ = 1;
  Axis axes_[DDim::kMaxRank + 1];
};

// One operand of a kernel, read along the output.
template <typename Word>
struct GpuOperand {
  const Word* data = nullptr;
  OperandView view;

  __device__ const Word& operator[](int64_t i) const {
    return data[view.Offset(i)];
  }
};

template <typename Word>
GpuOperand<Word> OperandAlong(const DDim& dims, const DenseTensor& tensor) {
  return {static_cast<const Word*>(tensor.data()),
          OperandView({dims, tensor.dims()})};
}

// The same, staying readable while `bytes` bytes of `out` are written.
template <typename Word>
GpuOperand<Word> OperandApart(const GPUContext& dev_ctx,
                              const DDim& dims,
                              const DenseTensor& tensor,
                              const void* out,
                              int64_t bytes,
                              DenseTensor* copy) {
  return {ReadApart<Word>(dev_ctx, tensor, out, bytes, copy),
          OperandView({dims, tensor.dims()})};
}

}  // namespace phi::funcs::scatter_ops
