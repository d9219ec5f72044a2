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

// Sums a gradient, under a mask, down to the shape of an operand that was
// broadcast, on the GPU. Without atomics: the result does not depend on the
// order in which blocks run.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/buffers.cu.h"
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
  int64_t kept_numel = 1;
  int64_t summed_numel = 1;
  Divisor by_kept_numel;
  bool innermost_summed = false;

  SumAxes(const DDim& out_dims, const DDim& target_dims) {
    const BroadcastView target(out_dims, target_dims);
    int64_t stride = common::product(out_dims);
    for (int i = 0; i < target.rank(); ++i) {
      stride /= target.dim(i);
      innermost_summed = target.stride(i) == 0;
      (innermost_summed ? summed : kept).Append(target.dim(i), stride);
      (innermost_summed ? summed_numel : kept_numel) *= target.dim(i);
    }
    by_kept_numel = Divisor(kept_numel);
  }
};

template <typename T>
struct MaskedSumArgs {
  const T* in;
  GpuOperand<uint8_t> mask;
  bool wanted;
  SumAxes axes;
  int64_t parts;
  int64_t part_numel;                 // summed elements of each but the last
  typename LongSumOf<T>::type* sums;  // parts x kept_numel; null for one part
  T* target;
};

// The sum of every kLanes-th summed element from `begin` on, of the kept one at
// output element `start`. Loads come before the additions, which wait for them.
template <int kLanes, typename T>
__device__ inline typename LongSumOf<T>::type SumOfLane(
    const MaskedSumArgs<T>& args, int64_t start, int64_t begin, int64_t end) {
  using Sum = typename LongSumOf<T>::type;
  constexpr int kRounds = 4;
  Sum sum{};
  for (; begin < end; begin += kRounds * kLanes) {
    int64_t at[kRounds];
    uint8_t masks[kRounds];
    bool takes[kRounds];
    T elements[kRounds];
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      takes[r] = begin + r * kLanes < end;
      if (!takes[r]) continue;
      at[r] = start + args.axes.summed.Offset(begin + r * kLanes);
      masks[r] = args.mask.data[args.mask.view.Offset(at[r])];
    }
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      takes[r] = takes[r] && (masks[r] != 0) == args.wanted;
      if (takes[r]) elements[r] = args.in[at[r]];
    }
#pragma unroll
    for (int r = 0; r < kRounds; ++r) {
      if (takes[r]) sum += static_cast<Sum>(elements[r]);
    }
  }
  return sum;
}

template <int kLanes>
__device__ inline void SyncLanes() {
  if constexpr (kLanes > kWarpSize) {
    __syncthreads();
  } else if constexpr (kLanes > 1) {
    __syncwarp();
  }
}

// By kLanes neighbouring threads (one, a warp or a block), all of them: the
// first gets the sum of what they hold, added up as a tree.
template <int kLanes, typename Sum>
__device__ inline Sum AddUpLanes(Sum sum) {
  if constexpr (kLanes > 1) {
    __shared__ alignas(16) char memory[kGpuThreads * sizeof(Sum)];
    Sum* partial = reinterpret_cast<Sum*>(memory) + threadIdx.x;
    const int lane = threadIdx.x % kLanes;
    *partial = sum;
    for (int half = kLanes / 2; half > 0; half /= 2) {
      SyncLanes<kLanes>();
      if (lane < half) *partial += partial[half];
    }
    sum = *partial;
    SyncLanes<kLanes>();
  }
  return sum;
}

// kLanes threads for each (kept element, part). With one lane, neighbours read
// neighbours if the innermost axis is kept; with more, if it is summed over.
template <typename T, int kLanes>
__global__ void __launch_bounds__(kGpuThreads)
    MaskedSumGpuKernel(MaskedSumArgs<T> args) {
  using Sum = typename LongSumOf<T>::type;
  const int64_t work = args.axes.kept_numel * args.parts;
  const int lane = threadIdx.x % kLanes;
  for (int64_t w = GlobalThread() / kLanes; w < work;
       w += GridThreads() / kLanes) {
    const int64_t part = args.axes.by_kept_numel.Divide(w);
    const int64_t start =
        args.axes.kept.Offset(w - part * args.axes.kept_numel);
    const int64_t first = part * args.part_numel;
    const int64_t last = min(first + args.part_numel, args.axes.summed_numel);
    const Sum sum =
        AddUpLanes<kLanes>(SumOfLane<kLanes>(args, start, first + lane, last));
    if (lane != 0) continue;
    if (args.sums != nullptr) {
      args.sums[w] = sum;
    } else {
      args.target[w] = FromSum<T>(sum);
    }
  }
}

// kLanes threads for each kept element.
template <typename T, int kLanes>
__global__ void __launch_bounds__(kGpuThreads)
    AddPartsGpuKernel(MaskedSumArgs<T> args) {
  using Sum = typename LongSumOf<T>::type;
  const int lane = threadIdx.x % kLanes;
  for (int64_t i = GlobalThread() / kLanes; i < args.axes.kept_numel;
       i += GridThreads() / kLanes) {
    Sum sum{};
#pragma unroll 4
    for (int64_t p = lane; p < args.parts; p += kLanes) {
      sum += args.sums[p * args.axes.kept_numel + i];
    }
    sum = AddUpLanes<kLanes>(sum);
    if (lane == 0) args.target[i] = FromSum<T>(sum);
  }
}

// How a sum is spread over the device. It depends on the shapes alone, and so
// does the order of the additions.
struct SumPlan {
  int lanes;      // 1, kWarpSize or kGpuThreads
  int64_t parts;  // of the summed axes, so that a small target fills the device

  explicit SumPlan(const SumAxes& axes) {
    constexpr int64_t kWantedThreads = 1 << 18;
    constexpr int64_t kShortest = 64;
    lanes = 1;
    if (axes.innermost_summed && axes.summed_numel >= kWarpSize) {
      lanes = axes.summed_numel < 8 * kGpuThreads ? kWarpSize : kGpuThreads;
    }
    const int64_t wanted = kWantedThreads / lanes / axes.kept_numel;
    const int64_t most = axes.summed_numel / (kShortest * lanes);
    parts = std::max<int64_t>(1, std::min(wanted, most));
  }
};

template <typename T, int kLanes>
void LaunchMaskedSum(const MaskedSumArgs<T>& args,
                     int multiprocessors,
                     GpuStream stream) {
  const int64_t threads = args.axes.kept_numel * args.parts * kLanes;
  MaskedSumGpuKernel<T, kLanes>
      <<<GridSize(threads, multiprocessors), kGpuThreads, 0, stream>>>(args);
}

template <typename T, int kLanes>
void LaunchAddParts(const MaskedSumArgs<T>& args,
                    int multiprocessors,
                    GpuStream stream) {
  const int64_t threads = args.axes.kept_numel * kLanes;
  AddPartsGpuKernel<T, kLanes>
      <<<GridSize(threads, multiprocessors), kGpuThreads, 0, stream>>>(args);
}

// Elements of args.in whose mask is args.wanted, summed into args.target. The
// caller has set args.parts to the plan's and args.sums to room for them.
template <typename T>
void MaskedSumGpu(const MaskedSumArgs<T>& args,
                  const SumPlan& plan,
                  int multiprocessors,
                  GpuStream stream) {
  if (plan.lanes == 1) {
    LaunchMaskedSum<T, 1>(args, multiprocessors, stream);
  } else if (plan.lanes == kWarpSize) {
    LaunchMaskedSum<T, kWarpSize>(args, multiprocessors, stream);
  } else {
    LaunchMaskedSum<T, kGpuThreads>(args, multiprocessors, stream);
  }
  if (args.parts == 1) return;
  if (args.parts <= kWarpSize) {
    LaunchAddParts<T, 1>(args, multiprocessors, stream);
  } else {
    LaunchAddParts<T, kGpuThreads>(args, multiprocessors, stream);
  }
}

// MaskedSumGpu of `in`, of shape `dims`, into `target`, whose memory is
// allocated.
template <typename T, typename Context>
void MaskedSumInto(const Context& dev_ctx,
                   const T* in,
                   const DDim& dims,
                   const DenseTensor& mask,
                   bool wanted,
                   DenseTensor* target) {
  using Sum = typename LongSumOf<T>::type;
  const SumAxes axes(dims, target->dims());
  const SumPlan plan(axes);
  DenseTensor sums;
  Sum* sums_data = nullptr;
  if (plan.parts > 1) {
    sums.Resize(common::make_ddim(
        {plan.parts * axes.kept_numel * static_cast<int64_t>(sizeof(Sum))}));
    sums_data = reinterpret_cast<Sum*>(dev_ctx.template Alloc<uint8_t>(&sums));
  }
  MaskedSumGpu<T>({in,
                   OperandAlong<uint8_t>(dims, mask),
                   wanted,
                   axes,
                   plan.parts,
                   (axes.summed_numel + plan.parts - 1) / plan.parts,
                   sums_data,
                   static_cast<T*>(target->data())},
                  plan,
                  dev_ctx.GetSMCount(),
                  dev_ctx.stream());
}

// grad = the elements of out_grad, of shape `dims`, whose mask is `wanted`,
// zero elsewhere, summed to the shape of grad. grad may come in out_grad's
// memory.
template <typename T, typename Context>
void MaskedGradInto(const Context& dev_ctx,
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
  const bool summed = grad->numel() != numel;
  if (summed) out_grad.TakeApart(grad);
  T* data = dev_ctx.template Alloc<T>(grad);
  if (summed) {
    MaskedSumInto<T>(dev_ctx, out_grad.data<T>(), dims, mask, wanted, grad);
    return;
  }
  const GpuOperand<Word> none;
  const GpuOperand<Word> taken{out_grad.data<Word>(),
                               OperandView({dims, dims})};
  MaskedFillGpu<Word>({numel,
                       OperandAlong<uint8_t>(dims, mask),
                       wanted ? none : taken,
                       wanted ? taken : none,
                       reinterpret_cast<Word*>(data)},
                      /*value_numel=*/wanted ? numel : 1,
                      dev_ctx.GetSMCount(),
                      dev_ctx.stream());
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
