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

// Sums over the axes along which an operand was broadcast, on the GPU.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"

namespace phi::funcs::scatter_ops {

// The axes of an array, split into those that a sum keeps and those that it is
// over; each view maps a row-major number to an offset in the array.
struct SumAxes {
  OperandView kept;
  OperandView summed;
  bool is_kept_inner = false;  // the innermost axis is kept

  SumAxes() = default;
  SumAxes(const DDim& dims, const DDim& target_dims) {
    const BroadcastView target(dims, target_dims);
    int64_t stride = common::product(dims);
    for (int i = 0; i < target.rank(); ++i) {
      stride /= target.dim(i);
      is_kept_inner = target.stride(i) != 0;
      (is_kept_inner ? kept : summed).Append(target.dim(i), stride);
    }
  }
};

template <typename Sum>
struct PartialSum {
  const Sum* data;

  __device__ Sum operator()(int64_t i) const { return data[i]; }
};

// Sums of `num_parts` interleaved parts of the summed axes for each kept
// element. Threads with consecutive i read consecutive elements.
template <typename Sum, typename In, typename Out>
void SumOverRows(const GPUContext& dev_ctx,
                 const In& in,
                 const SumAxes& axes,
                 int64_t num_parts,
                 Out* out) {
  const int64_t num_kept = axes.kept.numel();
  ForEach(dev_ctx, num_kept * num_parts, [=] __device__(int64_t i) {
    const int64_t inner = axes.is_kept_inner ? num_kept : num_parts;
    const int64_t k = axes.is_kept_inner ? i % inner : i / inner;
    const int64_t part = axes.is_kept_inner ? i / inner : i % inner;
    const int64_t start = axes.kept.Offset(k);
    Sum sum{};
    for (int64_t s = part; s < axes.summed.numel(); s += num_parts) {
      sum += in(start + axes.summed.Offset(s));
    }
    out[i] = static_cast<Out>(sum);
  });
}

constexpr int64_t kSumChunk = 128;

// target = the sums of in over the summed axes: chunks of at most kSumChunk
// elements, then their sums, until one chunk is left. The order depends on the
// shapes alone; it is not the order of the CPU kernel.
template <typename Sum, typename In, typename T>
void SumInto(const GPUContext& dev_ctx,
             const In& in,
             const SumAxes& axes,
             T* target) {
  const int64_t parts = (axes.summed.numel() + kSumChunk - 1) / kSumChunk;
  if (parts == 1) return SumOverRows<Sum>(dev_ctx, in, axes, 1, target);
  const int64_t num_kept = axes.kept.numel();
  DenseTensor memory;
  Sum* sums = AllocWorkspace<Sum>(dev_ctx, num_kept * parts, &memory);
  SumOverRows<Sum>(dev_ctx, in, axes, parts, sums);
  SumAxes next;
  next.is_kept_inner = axes.is_kept_inner;
  next.kept.Append(num_kept, axes.is_kept_inner ? 1 : parts);
  next.summed.Append(parts, axes.is_kept_inner ? num_kept : 1);
  SumInto<Sum>(dev_ctx, PartialSum<Sum>{sums}, next, target);
}

}  // namespace phi::funcs::scatter_ops
