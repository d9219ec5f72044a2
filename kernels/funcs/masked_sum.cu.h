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

#include "paddle/phi/kernels/funcs/scatter_ops_gpu.cu.h"
#include "paddle/phi/kernels/funcs/sum_type.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// The output's axes, split into those that the target keeps and those that it
// is summed over; each list maps a row-major number to an output offset.
struct SumAxes {
  GpuView kept;
  GpuView summed;
  int64_t kept_numel;
  int64_t summed_numel;
  bool innermost_summed;

  SumAxes(const DDim& out_dims, const DDim& target_dims)
      : kept(BroadcastView(out_dims, out_dims)),
        summed(kept),
        kept_numel(1),
        summed_numel(1),
        innermost_summed(false) {
    const BroadcastView target(out_dims, target_dims);
    kept.rank = 0;
    summed.rank = 0;
    int64_t stride = common::product(out_dims);
    for (int i = 0; i < target.rank(); ++i) {
      stride /= target.dim(i);
      const bool is_summed = target.stride(i) == 0;
      GpuView& axes = is_summed ? summed : kept;
      axes.dims[axes.rank] = target.dim(i);
      axes.strides[axes.rank] = stride;
      ++axes.rank;
      (is_summed ? summed_numel : kept_numel) *= target.dim(i);
      innermost_summed = is_summed;
    }
    Close(&kept);
    Close(&summed);
  }

 private:
  static void Close(GpuView* axes) {
    if (axes->rank > 0) return;
    axes->rank = 1;
    axes->dims[0] = 1;
    axes->strides[0] = 0;
  }
};

template <typename T>
struct MaskedSumArgs {
  const T* in;
  const uint8_t* mask;
  GpuView mask_view;
  bool wanted;
  SumAxes axes;
  int64_t parts;
  typename SumTypeOf<T>::type* sums;  // parts x kept_numel
  T* target;
};

template <typename T>
__device__ inline typename SumTypeOf<T>::type MaskedElement(
    const MaskedSumArgs<T>& args, int64_t i) {
  using Sum = typename SumTypeOf<T>::type;
  const bool take =
      IsTrueAt(args.mask, args.mask_view.Offset(i)) == args.wanted;
  return take ? static_cast<Sum>(args.in[i]) : Sum{};
}

// A thread for each (kept element, part): neighbours read neighbours, as the
// innermost axis is kept.
template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    SumColumnsGpuKernel(MaskedSumArgs<T> args) {
  using Sum = typename SumTypeOf<T>::type;
  const int64_t work = args.axes.kept_numel * args.parts;
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const int64_t part = w / args.axes.kept_numel;
    const int64_t start = args.axes.kept.Offset(w % args.axes.kept_numel);
    const int64_t first = args.axes.summed_numel * part / args.parts;
    const int64_t last = args.axes.summed_numel * (part + 1) / args.parts;
    Sum sum{};
    for (int64_t s = first; s < last; ++s) {
      sum += MaskedElement(args, start + args.axes.summed.Offset(s));
    }
    args.sums[w] = sum;
  }
}

// A block for each (kept element, part): its threads stride along the
// innermost axis, which is summed over, then add up as a tree.
template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    SumRowsGpuKernel(MaskedSumArgs<T> args) {
  using Sum = typename SumTypeOf<T>::type;
  __shared__ alignas(16) char memory[kGpuThreads * sizeof(Sum)];
  Sum* partial = reinterpret_cast<Sum*>(memory);
  const int64_t work = args.axes.kept_numel * args.parts;
  for (int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const int64_t part = w / args.axes.kept_numel;
    const int64_t start = args.axes.kept.Offset(w % args.axes.kept_numel);
    const int64_t first = args.axes.summed_numel * part / args.parts;
    const int64_t last = args.axes.summed_numel * (part + 1) / args.parts;
    Sum sum{};
    for (int64_t s = first + threadIdx.x; s < last; s += kGpuThreads) {
      sum += MaskedElement(args, start + args.axes.summed.Offset(s));
    }
    partial[threadIdx.x] = sum;
    for (int half = kGpuThreads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) {
        partial[threadIdx.x] += partial[threadIdx.x + half];
      }
    }
    if (threadIdx.x == 0) args.sums[w] = partial[0];
    __syncthreads();
  }
}

template <typename T>
__global__ void AddPartsGpuKernel(MaskedSumArgs<T> args) {
  using Sum = typename SumTypeOf<T>::type;
  for (int64_t i = GlobalThread(); i < args.axes.kept_numel;
       i += GridThreads()) {
    Sum sum{};
    for (int64_t p = 0; p < args.parts; ++p) {
      sum += args.sums[p * args.axes.kept_numel + i];
    }
    args.target[i] = FromSum<T>(sum);
  }
}

// Parts of the summed axes, so that a small target still fills the device.
inline int64_t SumParts(const SumAxes& axes) {
  constexpr int64_t kWanted = 1 << 18;
  constexpr int64_t kShortest = 64;
  const int64_t per_target = axes.innermost_summed ? kGpuThreads : 1;
  const int64_t wanted = kWanted / (axes.kept_numel * per_target);
  const int64_t most = axes.summed_numel / (kShortest * per_target);
  return std::max<int64_t>(1, std::min(wanted, most));
}

// Elements of args.in whose mask is args.wanted, summed into args.target. The
// caller has set `parts` by SumParts and `sums` to room for parts x kept_numel.
template <typename T>
void MaskedSumGpu(const MaskedSumArgs<T>& args,
                  int multiprocessors,
                  GpuStream stream) {
  const int64_t work = args.axes.kept_numel * args.parts;
  if (args.axes.innermost_summed) {
    const unsigned grid = GridSize(work * kGpuThreads, multiprocessors);
    SumRowsGpuKernel<T><<<grid, kGpuThreads, 0, stream>>>(args);
  } else {
    const unsigned grid = GridSize(work, multiprocessors);
    SumColumnsGpuKernel<T><<<grid, kGpuThreads, 0, stream>>>(args);
  }
  const unsigned grid = GridSize(args.axes.kept_numel, multiprocessors);
  AddPartsGpuKernel<T><<<grid, kGpuThreads, 0, stream>>>(args);
}

// MaskedSumGpu of `in` under `mask` into `target`, whose memory is allocated.
template <typename T, typename Context, typename Tensor>
void MaskedSumInto(const Context& dev_ctx,
                   const Tensor& in,
                   const Tensor& mask,
                   bool wanted,
                   Tensor* target) {
  using Sum = typename SumTypeOf<T>::type;
  const SumAxes axes(in.dims(), target->dims());
  const int64_t parts = SumParts(axes);
  Tensor sums;
  sums.Resize(common::make_ddim(
      {parts * axes.kept_numel * static_cast<int64_t>(sizeof(Sum))}));
  MaskedSumGpu<T>(
      {static_cast<const T*>(in.data()),
       static_cast<const uint8_t*>(mask.data()),
       GpuView({in.dims(), mask.dims()}),
       wanted,
       axes,
       parts,
       reinterpret_cast<Sum*>(dev_ctx.template Alloc<uint8_t>(&sums)),
       static_cast<T*>(target->data())},
      dev_ctx.GetSMCount(),
      dev_ctx.stream());
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
