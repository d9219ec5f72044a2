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

// out = mask ? value : x on the GPU, on raw pointers, instantiated by element
// size: masked_fill, with a value of any shape that broadcasts. And the
// gradients of the masked operators: such choices, summed down to the shape of
// an operand that was broadcast. Without atomics: a sum does not depend on the
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
struct MaskedFillArgs {
  int64_t numel;
  GpuOperand<uint8_t> mask;
  GpuOperand<Word> x;      // without data: zeros
  GpuOperand<Word> value;  // without data: zero
  Word* out;               // may be x.data if x has the output's shape
};

// A thread chooses N neighbours. kMany: the value differs from element to
// element. Else it is one element, read on the device if it is a Tensor's, so
// that the host need not wait.
template <typename Word, int N, bool kFlat, bool kMany>
struct FillPack {
  static constexpr int kWidth = N;

  MaskedFillArgs<Word> args;

  __device__ void operator()(int64_t pack) const {
    int64_t i = pack * N;
    if (i + N <= args.numel) {
      Fill<N, kFlat>(i);
    } else {
      for (; i < args.numel; ++i) Fill<1, false>(i);
    }
  }

 private:
  // What has to be read comes before what depends on it. In place, a pack
  // without a True is not touched.
  template <int kCount, bool kNeighbours>
  __device__ void Fill(int64_t i) const {
    const bool in_place = args.x.data == args.out;
    const auto mask = ReadPack<uint8_t, kCount, kNeighbours>(args.mask, i);
    Pack<Word, kCount> pack, values;
    if (!in_place && args.x.data != nullptr) {
      pack = ReadPack<Word, kCount, kNeighbours>(args.x, i);
    }
    const unsigned bits = BitsOf(mask);
    if (in_place) {
      if (bits == 0) return;
      pack = ReadPack<Word, kCount, kNeighbours>(args.x, i);
    }
    if (kMany && bits != 0) {
      values = ReadPack<Word, kCount, kNeighbours>(args.value, i);
    }
    Word fill{};
    if (!kMany && args.value.data != nullptr) fill = *args.value.data;
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      if (bits >> j & 1u) pack.Set(j, kMany ? values[j] : fill);
    }
    pack.Store(args.out + i);
  }
};

// There must be an element. `one_value`: the value has only one.
template <typename Word>
void MaskedFillGpu(const GPUContext& dev_ctx,
                   const MaskedFillArgs<Word>& args,
                   bool one_value) {
  constexpr int N = PackSize<Word>();
  const auto queue = [&](const auto& pack) {
    constexpr int kWidth = std::decay_t<decltype(pack)>::kWidth;
    ForEach(dev_ctx, (args.numel + kWidth - 1) / kWidth, pack);
  };
  const auto choose = [&](auto many) {
    constexpr bool kMany = decltype(many)::value;
    if (!IsAligned(args.out, 16)) {
      queue(FillPack<Word, 1, false, kMany>{args});
    } else if (CanReadFlat<N>(args.mask) && CanReadFlat<N>(args.x) &&
               (one_value || CanReadFlat<N>(args.value))) {
      queue(FillPack<Word, N, true, kMany>{args});
    } else {
      queue(FillPack<Word, N, false, kMany>{args});
    }
  };
  one_value ? choose(std::false_type{}) : choose(std::true_type{});
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
  bool wanted;
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
      const bool takes = (mask.data[mask.view.Offset(at)] != 0) == wanted;
      if (takes) sum += static_cast<Sum>(in[at]);
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
                       wanted,
                       axes,
                       FastDivMod<int64_t>(kept),
                       lanes,
                       (summed + parts - 1) / parts,
                       sums});
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
    SumMasked(dev_ctx, out_grad.data<T>(), from_mask, wanted, axes, data);
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
