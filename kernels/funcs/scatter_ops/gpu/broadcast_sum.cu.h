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

// Sums over the axes along which an operand was broadcast, on the GPU: the
// gradient of a broadcast x of masked_scatter. The order of the additions
// depends on the shapes alone and there are no atomics, so results are
// reproducible. The array must have at least one element.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"

namespace phi::funcs::scatter_ops {

// The axes of the output and the reduced axes of an array. Each view maps a
// linear index over its axes to an offset in the array.
struct ReductionAxes {
  OperandView output;
  OperandView reduced;
  bool is_output_inner = false;  // the innermost axis is one of the output

  ReductionAxes() = default;
  ReductionAxes(const DDim& dims, const DDim& target_dims) {
    const BroadcastView target(dims, target_dims);
    int64_t stride = common::product(dims);
    for (int i = 0; i < target.rank(); ++i) {
      stride /= target.dim(i);
      is_output_inner = target.stride(i) != 0;
      (is_output_inner ? output : reduced).Append(target.dim(i), stride);
    }
  }
};

template <typename Sum>
struct PartialSumLoader {
  const Sum* data;

  __device__ Sum operator()(int64_t i) const { return data[i]; }
};

// For each output element, the sums of `num_parts` interleaved parts of the
// reduced axes. Threads with consecutive i read consecutive elements.
template <typename Sum, typename In, typename Out>
void SumParts(const GPUContext& dev_ctx,
              const In& in,
              const ReductionAxes& axes,
              int64_t num_parts,
              Out* out) {
  const int64_t num_outputs = axes.output.numel();
  ForEach(dev_ctx, num_outputs * num_parts, [=] __device__(int64_t i) {
    const int64_t inner = axes.is_output_inner ? num_outputs : num_parts;
    const int64_t k = axes.is_output_inner ? i % inner : i / inner;
    const int64_t part = axes.is_output_inner ? i / inner : i % inner;
    const int64_t start = axes.output.Offset(k);
    Sum sum{};
    for (int64_t s = part; s < axes.reduced.numel(); s += num_parts) {
      sum += in(start + axes.reduced.Offset(s));
    }
    out[i] = static_cast<Out>(sum);
  });
}

constexpr int64_t kSumChunk = 128;

// A thread sums at most kSumChunk elements; partial sums are summed again. The
// order is not that of the CPU kernel.
template <typename Sum, typename In, typename T>
void SumInto(const GPUContext& dev_ctx,
             const In& in,
             const ReductionAxes& axes,
             T* target) {
  const int64_t num_parts = (axes.reduced.numel() + kSumChunk - 1) / kSumChunk;
  if (num_parts == 1) return SumParts<Sum>(dev_ctx, in, axes, 1, target);
  const int64_t num_outputs = axes.output.numel();
  DenseTensor memory;
  Sum* sums = AllocWorkspace<Sum>(dev_ctx, num_outputs * num_parts, &memory);
  SumParts<Sum>(dev_ctx, in, axes, num_parts, sums);
  ReductionAxes next;
  next.is_output_inner = axes.is_output_inner;
  next.output.Append(num_outputs, axes.is_output_inner ? 1 : num_parts);
  next.reduced.Append(num_parts, axes.is_output_inner ? num_outputs : 1);
  SumInto<Sum>(dev_ctx, PartialSumLoader<Sum>{sums}, next, target);
}

}  // namespace phi::funcs::scatter_ops
