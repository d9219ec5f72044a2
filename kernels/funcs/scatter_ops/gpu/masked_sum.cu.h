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

// Gradients of the masked operators on the GPU: under a mask, and summed down
// to the shape of an operand that was broadcast. Without atomics: the result
// does not depend on the order in which blocks run.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/masked_fill.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/accumulator.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// The output's axes, split into those that the target keeps and those that it
// is summed over; each list maps a row-major number to an output offset.
struct SumAxes {
  OperandView kept;
  OperandView summed;
  bool innermost_summed = false;

  SumAxes(const DDim& out_dims, const DDim& target_dims) {
    const BroadcastView target(out_dims, target_dims);
    int64_t stride = common::product(out_dims);
    for (int i = 0; i < target.rank(); ++i) {
      stride /= target.dim(i);
      innermost_summed = target.stride(i) == 0;
      (innermost_summed ? summed : kept).Append(target.dim(i), stride);
    }
  }
};

// kLanes threads, one or a warp, for each (kept element, part of the summed
// ones). With one lane, neighbours read neighbours if the innermost axis is
// kept; with a warp, if it is summed over.
template <typename T, int kLanes>
struct MaskedSum {
  using Sum = typename LongSumOf<T>::type;

  const T* in;
  GpuOperand<uint8_t> mask;
  bool wanted;
  SumAxes axes;
  FastDivMod<int64_t> by_kept;
  int64_t part_numel;  // summed elements of each part but the last
  Sum* sums;           // [parts, kept elements]

  __device__ void operator()(int64_t thread) const {
    const int64_t w = thread / kLanes;
    const int lane = static_cast<int>(thread % kLanes);
    const int64_t part = by_kept.Div(w);
    const int64_t start = axes.kept.Offset(w - part * axes.kept.numel());
    const int64_t first = part * part_numel;
    const int64_t last = min(first + part_numel, axes.summed.numel());
    Sum sum{};
#pragma unroll 4
    for (int64_t i = first + lane; i < last; i += kLanes) {
      const int64_t at = start + axes.summed.Offset(i);
      const bool takes = (mask.data[mask.view.Offset(at)] != 0) == wanted;
      if (takes) sum += static_cast<Sum>(in[at]);
    }
    if constexpr (kLanes > 1) {
      sum = CombineWarp(sum, [](const Sum& a, const Sum& b) { return a + b; });
    }
    if (lane == 0) sums[w] = sum;
  }
};

// A warp for each kept element.
template <typename T>
struct AddPartSums {
  using Sum = typename LongSumOf<T>::type;

  const Sum* sums;
  int64_t parts;
  int64_t kept_numel;
  T* target;

  __device__ void operator()(int64_t thread) const {
    const int64_t i = thread / kWarpSize;
    const int lane = static_cast<int>(thread % kWarpSize);
    Sum sum{};
    for (int64_t p = lane; p < parts; p += kWarpSize) {
      sum += sums[p * kept_numel + i];
    }
    sum = CombineWarp(sum, [](const Sum& a, const Sum& b) { return a + b; });
    if (lane == 0) target[i] = FromSum<T>(sum);
  }
};

template <typename T, int kLanes>
void SumMasked(const GPUContext& dev_ctx,
               const T* in,
               const GpuOperand<uint8_t>& mask,
               bool wanted,
               const SumAxes& axes,
               T* target) {
  using Sum = typename LongSumOf<T>::type;
  // Parts, so that a small target fills the device too. They depend on the
  // shapes alone, and so does the order of the additions.
  constexpr int64_t kWantedThreads = 1 << 18;
  constexpr int64_t kShortest = 64;
  const int64_t kept = axes.kept.numel();
  const int64_t summed = axes.summed.numel();
  const int64_t parts = std::max<int64_t>(
      1,
      std::min(kWantedThreads / kLanes / kept, summed / (kShortest * kLanes)));
  DenseTensor memory;
  Sum* sums = AllocScratch<Sum>(dev_ctx, parts * kept, &memory);
  const MaskedSum<T, kLanes> sum{in,
                                 mask,
                                 wanted,
                                 axes,
                                 FastDivMod<int64_t>(kept),
                                 (summed + parts - 1) / parts,
                                 sums};
  ForEach(dev_ctx, parts * kept * kLanes, sum);
  ForEach(dev_ctx, kept * kWarpSize, AddPartSums<T>{sums, parts, kept, target});
}

// grad = the elements of out_grad, of shape `dims`, whose mask is `wanted`,
// zero elsewhere, summed to the shape of grad. grad may come in out_grad's
// memory.
template <typename T>
void MaskedGradInto(const GPUContext& dev_ctx,
                    const KeptGrad& out_grad,
                    const DDim& dims,
                    const DenseTensor& mask,
                    bool wanted,
                    DenseTensor* grad) {
  using Word = typename WordOf<sizeof(T)>::type;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  if (numel == 0) {
    AllocZeros<T>(dev_ctx, grad);
    return;
  }
  const auto from_mask = OperandAlong<uint8_t>(dims, mask);
  if (grad->numel() != numel) {
    out_grad.TakeApart(grad);
    T* data = dev_ctx.template Alloc<T>(grad);
    const SumAxes axes(dims, grad->dims());
    const bool by_warp =
        axes.innermost_summed && axes.summed.numel() >= kWarpSize;
    (by_warp ? SumMasked<T, kWarpSize> : SumMasked<T, 1>)(dev_ctx,
                                                          out_grad.data<T>(),
                                                          from_mask,
                                                          wanted,
                                                          axes,
                                                          data);
    return;
  }
  const GpuOperand<Word> none{};
  const GpuOperand<Word> taken{out_grad.data<Word>(),
                               OperandView({dims, dims})};
  Word* data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(grad));
  MaskedFillGpu<Word>(
      dev_ctx,
      {numel, from_mask, wanted ? none : taken, wanted ? taken : none, data},
      /*one_value=*/!wanted);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
