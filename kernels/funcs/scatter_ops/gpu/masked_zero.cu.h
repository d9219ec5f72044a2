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

// out = mask ? 0 : x on the GPU, on raw pointers, instantiated by element size.
// And that summed down to the shape of an operand that was broadcast: the
// gradient of masked_scatter's x. Without atomics: a sum does not depend on the
// order in which blocks run.

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/accumulator.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename Word>
struct MaskedZeroArgs {
  int64_t numel;
  GpuOperand<uint8_t> mask;
  GpuOperand<Word> x;
  Word* out;  // may be x.data if x has the output's shape
};

// A thread handles N neighbours.
template <typename Word, int N, bool kFlat>
struct ZeroPack {
  static constexpr int kWidth = N;

  MaskedZeroArgs<Word> args;

  __device__ void operator()(int64_t pack) const {
    int64_t i = pack * N;
    if (i + N <= args.numel) {
      Zero<N, kFlat>(i);
    } else {
      for (; i < args.numel; ++i) Zero<1, false>(i);
    }
  }

 private:
  // What has to be read comes before what depends on it. In place, a pack
  // without a True is not touched.
  template <int kCount, bool kNeighbours>
  __device__ void Zero(int64_t i) const {
    const bool in_place = args.x.data == args.out;
    const auto mask = ReadPack<uint8_t, kCount, kNeighbours>(args.mask, i);
    Pack<Word, kCount> pack;
    if (!in_place) pack = ReadPack<Word, kCount, kNeighbours>(args.x, i);
    const unsigned bits = BitsOf(mask);
    if (in_place) {
      if (bits == 0) return;
      pack = ReadPack<Word, kCount, kNeighbours>(args.x, i);
    }
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      if (bits >> j & 1u) pack.Set(j, Word{});
    }
    pack.Store(args.out + i);
  }
};

// There must be an element.
template <typename Word>
void MaskedZeroGpu(const GPUContext& dev_ctx,
                   const MaskedZeroArgs<Word>& args) {
  constexpr int N = PackSize<Word>();
  const auto queue = [&](const auto& pack) {
    constexpr int kWidth = std::decay_t<decltype(pack)>::kWidth;
    ForEach(dev_ctx, (args.numel + kWidth - 1) / kWidth, pack);
  };
  if (!IsAligned(args.out, 16)) {
    queue(ZeroPack<Word, 1, false>{args});
  } else if (CanReadFlat<N>(args.mask) && CanReadFlat<N>(args.x)) {
    queue(ZeroPack<Word, N, true>{args});
  } else {
    queue(ZeroPack<Word, N, false>{args});
  }
}

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

// One or kWarpSize threads, `lanes`, for each (kept element, part of the summed
// ones). With one, neighbours read neighbours if the innermost axis is kept;
// with a warp, if it is summed over.
template <typename T>
struct MaskedSum {
  using Sum = typename LongSumOf<T>::type;

  const T* in;
  GpuOperand<uint8_t> mask;
  SumAxes axes;
  FastDivMod<int64_t> by_kept;
  int lanes;
  int64_t part_numel;  // summed elements of each part but the last
  Sum* sums;           // [parts, kept elements]

  __device__ void operator()(int64_t thread) const {
    const bool by_warp = lanes > 1;
    const int64_t w = by_warp ? thread / kWarpSize : thread;
    const int64_t lane = by_warp ? thread % kWarpSize : 0;
    const int64_t part = by_kept.Div(w);
    const int64_t start = axes.kept.Offset(w - part * axes.kept.numel());
    const int64_t first = part * part_numel;
    const int64_t last = min(first + part_numel, axes.summed.numel());
    Sum sum{};
#pragma unroll 4
    for (int64_t i = first + lane; i < last; i += lanes) {
      const int64_t at = start + axes.summed.Offset(i);
      const bool masked = mask.data[mask.view.Offset(at)] != 0;
      if (!masked) sum += static_cast<Sum>(in[at]);
    }
    if (by_warp) {
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

template <typename T>
void SumMasked(const GPUContext& dev_ctx,
               const T* in,
               const GpuOperand<uint8_t>& mask,
               const SumAxes& axes,
               T* target) {
  using Sum = typename LongSumOf<T>::type;
  // Parts, so that a small target fills the device too. They depend on the
  // shapes alone, and so does the order of the additions.
  constexpr int64_t kWantedThreads = 1 << 18;
  constexpr int64_t kShortest = 64;
  const int64_t kept = axes.kept.numel();
  const int64_t summed = axes.summed.numel();
  const int lanes =
      axes.innermost_summed && summed >= kWarpSize ? kWarpSize : 1;
  const int64_t parts = std::max<int64_t>(
      1, std::min(kWantedThreads / lanes / kept, summed / (kShortest * lanes)));
  DenseTensor memory;
  Sum* sums = AllocScratch<Sum>(dev_ctx, parts * kept, &memory);
  ForEach(dev_ctx,
          parts * kept * lanes,
          MaskedSum<T>{in,
                       mask,
                       axes,
                       FastDivMod<int64_t>(kept),
                       lanes,
                       (summed + parts - 1) / parts,
                       sums});
  ForEach(dev_ctx, kept * kWarpSize, AddPartSums<T>{sums, parts, kept, target});
}

// grad = out_grad, of shape `dims`, with zeros where mask is True, summed to
// the shape of grad. grad may come in out_grad's memory. There must be an
// element.
template <typename T>
void MaskedGradInto(const GPUContext& dev_ctx,
                    const KeptGrad& out_grad,
                    const DDim& dims,
                    const DenseTensor& mask,
                    DenseTensor* grad) {
  using Word = typename WordOf<sizeof(T)>::type;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  const auto from_mask = OperandAlong<uint8_t>(dims, mask);
  if (grad->numel() != numel) {
    out_grad.TakeApart(grad);
    T* data = dev_ctx.template Alloc<T>(grad);
    const SumAxes axes(dims, grad->dims());
    SumMasked(dev_ctx, out_grad.data<T>(), from_mask, axes, data);
    return;
  }
  const GpuOperand<Word> from_grad{out_grad.data<Word>(),
                                   OperandView({dims, dims})};
  auto* data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(grad));
  MaskedZeroGpu<Word>(dev_ctx, {numel, from_mask, from_grad, data});
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
