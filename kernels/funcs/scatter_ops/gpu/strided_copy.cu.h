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

// Copy a tensor with a strided part of it replaced, and read such a part, on
// the GPU: all that select_scatter, diagonal_scatter and their gradients do.
// Instantiated by element size.
//
// The copy is one pass in which each pack of 16 bytes finds the replaced
// elements within it. A second pass over these alone would move a sector of 32
// bytes twice for each, which for a short last axis is the tensor once more.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/buffers.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/packs.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/strided_view.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename Word>
struct ReplaceArgs {
  int64_t numel;
  const Word* x;  // null: zeros
  GpuStridedView view;
  const Word* values;  // null: zeros
  Word* out;           // may be x
};

// A pack of x and the last of its elements that is still to be replaced.
template <typename Word, int N>
struct ReplacedPack {
  WordPack<Word, N> pack;
  Word value{};
  PackPlace place;
};

template <typename Word>
__device__ inline Word ReadValue(const ReplaceArgs<Word>& args, int64_t at) {
  return args.values != nullptr ? args.values[at] : Word{};
}

// The values of a pack that is replaced as a whole; `last` is its last one's.
template <typename Word, int N>
__device__ inline WordPack<Word, N> ReadValues(const ReplaceArgs<Word>& args,
                                               int64_t last) {
  WordPack<Word, N> pack;
  if (args.values == nullptr) return pack;
  const int64_t step = args.view.inner_value_stride;
  const Word* first = args.values + last - (N - 1) * step;
  if (step == 1) return LoadUnaligned<Word, N>(first);
#pragma unroll 1
  for (int j = 0; j < N; ++j) SetLane(&pack, j, first[j * step]);
  return pack;
}

// Issues the loads of elements [i, i + N), all of which exist. x is not read
// where all of it is replaced.
template <typename Word, int N>
__device__ inline ReplacedPack<Word, N> StartPack(const ReplaceArgs<Word>& args,
                                                  int64_t i) {
  ReplacedPack<Word, N> work;
  work.place = args.view.LastIn(i, i + N);
  if (args.view.Covers(work.place, N)) {
    work.pack = ReadValues<Word, N>(args, work.place.value);
    work.place.lane = -1;
    return work;
  }
  if (args.x != nullptr) work.pack = LoadAligned<Word, N>(args.x + i);
  if (work.place.lane >= 0) work.value = ReadValue(args, work.place.value);
  return work;
}

// Puts the values in place, from the pack's last replaced element to its first,
// and stores the pack.
template <typename Word, int N>
__device__ inline void FinishPack(const ReplaceArgs<Word>& args,
                                  int64_t i,
                                  ReplacedPack<Word, N>* work) {
#pragma unroll 1
  while (work->place.lane >= 0) {
    SetLane(&work->pack, work->place.lane, work->value);
    args.view.StepBack(i, &work->place);
    if (work->place.lane >= 0) work->value = ReadValue(args, work->place.value);
  }
  StoreAligned<Word, N>(args.out + i, work->pack);
}

template <typename Word, int N>
__global__ void __launch_bounds__(kGpuThreads)
    ReplaceGpuKernel(ReplaceArgs<Word> args) {
  const int64_t packed = PackedElements<N>(args.numel);
  if (blockIdx.x == 0 && packed + threadIdx.x < args.numel) {
    const int64_t i = packed + threadIdx.x;
    ReplacedPack<Word, 1> single = StartPack<Word, 1>(args, i);
    FinishPack<Word, 1>(args, i, &single);
  }
  for (int64_t begin = TileBegin<N>(); begin < packed; begin += TileStep<N>()) {
    ReplacedPack<Word, N> work[kTileRounds];
#pragma unroll
    for (int r = 0; r < kTileRounds; ++r) {
      const int64_t i = RoundBegin<N>(begin, r);
      if (i < packed) work[r] = StartPack<Word, N>(args, i);
    }
#pragma unroll
    for (int r = 0; r < kTileRounds; ++r) {
      const int64_t i = RoundBegin<N>(begin, r);
      if (i < packed) FinishPack<Word, N>(args, i, &work[r]);
    }
  }
}

template <typename Word>
struct GatherArgs {
  const Word* x;
  GpuStridedView view;
  Word* values;
};

// N elements at a time, if runs of the view are whole packs of the values.
template <typename Word, int N>
__global__ void __launch_bounds__(kGpuThreads)
    GatherGpuKernel(GatherArgs<Word> args) {
  for (int64_t begin = TileBegin<N>(); begin < args.view.numel;
       begin += TileStep<N>()) {
    WordPack<Word, N> packs[kTileRounds];
    int64_t to[kTileRounds];
#pragma unroll
    for (int r = 0; r < kTileRounds; ++r) {
      const int64_t k = RoundBegin<N>(begin, r);
      if (k >= args.view.numel) break;
      const ViewPlace place = args.view.Element(k);
      packs[r] = LoadUnaligned<Word, N>(args.x + place.position);
      to[r] = place.value;
    }
#pragma unroll
    for (int r = 0; r < kTileRounds; ++r) {
      if (RoundBegin<N>(begin, r) >= args.view.numel) break;
      StoreAligned<Word, N>(args.values + to[r], packs[r]);
    }
  }
}

template <typename Word, int N>
void LaunchReplace(const ReplaceArgs<Word>& args,
                   int multiprocessors,
                   GpuStream stream) {
  const unsigned grid = TileGrid(args.numel, TileSize<N>(), multiprocessors);
  ReplaceGpuKernel<Word, N><<<grid, kGpuThreads, 0, stream>>>(args);
}

// out = x with the elements of the view replaced by the values.
template <typename Word>
void ReplaceGpu(const ReplaceArgs<Word>& args,
                int multiprocessors,
                GpuStream stream) {
  if (IsAligned(args.x, 16) && IsAligned(args.out, 16)) {
    LaunchReplace<Word, PackSize<Word>()>(args, multiprocessors, stream);
  } else {
    LaunchReplace<Word, 1>(args, multiprocessors, stream);
  }
}

template <typename Word, int N>
void LaunchGather(const GatherArgs<Word>& args,
                  int multiprocessors,
                  GpuStream stream) {
  const unsigned grid =
      TileGrid(args.view.numel, TileSize<N>(), multiprocessors);
  GatherGpuKernel<Word, N><<<grid, kGpuThreads, 0, stream>>>(args);
}

// values = the elements of the view, which is not empty, in x.
template <typename Word>
void GatherGpu(const GatherArgs<Word>& args,
               int multiprocessors,
               GpuStream stream) {
  constexpr int N = PackSize<Word>();
  if (args.view.HasRunsOf(N) && IsAligned(args.values, 16)) {
    LaunchGather<Word, N>(args, multiprocessors, stream);
  } else {
    LaunchGather<Word, 1>(args, multiprocessors, stream);
  }
}

template <typename Word>
const Word* WordsOf(const DenseTensor* tensor) {
  if (tensor == nullptr || tensor->numel() == 0) return nullptr;
  return static_cast<const Word*>(tensor->data());
}

// The kernel of a forward and a second-order gradient: x or values are zeros
// if null. out may share the memory of either.
template <typename T, typename Context>
void ReplaceViewKernel(const Context& dev_ctx,
                       const DenseTensor* x,
                       const DenseTensor* values,
                       const StridedView& view,
                       DenseTensor* out) {
  using Word = typename WordOf<sizeof(T)>::type;
  const int64_t numel = out->numel();
  const Word* x_data = WordsOf<Word>(x);
  Word* data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  if (numel == 0) return;
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(T));
  DenseTensor copy;
  const Word* values_data =
      values == nullptr ? nullptr
                        : ReadApart<Word>(dev_ctx, *values, data, bytes, &copy);
  ReplaceGpu<Word>(
      {numel, x_data, GpuStridedView(view, numel), values_data, data},
      dev_ctx.GetSMCount(),
      dev_ctx.stream());
}

// The kernel of a gradient. Either output may be null.
template <typename T, typename Context>
void ReplaceViewGradKernel(const Context& dev_ctx,
                           const DenseTensor& out_grad,
                           const StridedView& view,
                           DenseTensor* x_grad,
                           DenseTensor* values_grad) {
  using Word = typename WordOf<sizeof(T)>::type;
  if (values_grad != nullptr) {
    Word* data =
        reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(values_grad));
    if (view.numel() > 0) {
      GatherGpu<Word>({WordsOf<Word>(&out_grad),
                       GpuStridedView(view, out_grad.numel()),
                       data},
                      dev_ctx.GetSMCount(),
                      dev_ctx.stream());
    }
  }
  if (x_grad != nullptr) {
    ReplaceViewKernel<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
