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

// out = mask ? value : x on the GPU, on raw pointers. Instantiated by element
// size; serves masked_fill with a value of any shape that broadcasts, and the
// gradients that zero what was masked.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"

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

// The thread's packs of elements i, i + kGpuThreads * N, ... The loads of all
// come before the first store. In place, a pack without a True is not touched.
template <typename Word, int N, bool kFlat, bool kMany, int kRounds>
__device__ inline void FillPacks(const MaskedFillArgs<Word>& args,
                                 Word fill,
                                 int64_t i) {
  constexpr int kStep = kGpuThreads * N;
  const bool in_place = args.x.data == args.out;
  const bool reads_x = !in_place && args.x.data != nullptr;
  Pack<Word, N> packs[kRounds];
  Pack<Word, N> values[kRounds];
  unsigned bits[kRounds];
#pragma unroll
  for (int r = 0; r < kRounds; ++r) {
    bits[r] = BitsOf(ReadPack<uint8_t, N, kFlat>(args.mask, i + r * kStep));
    if (reads_x) packs[r] = ReadPack<Word, N, kFlat>(args.x, i + r * kStep);
  }
#pragma unroll
  for (int r = 0; r < kRounds; ++r) {
    if (bits[r] == 0) continue;
    if (in_place) packs[r] = ReadPack<Word, N, kFlat>(args.x, i + r * kStep);
    if (kMany) values[r] = ReadPack<Word, N, kFlat>(args.value, i + r * kStep);
  }
#pragma unroll
  for (int r = 0; r < kRounds; ++r) {
    if (in_place && bits[r] == 0) continue;
#pragma unroll
    for (int j = 0; j < N; ++j) {
      if (bits[r] >> j & 1u) packs[r].Set(j, kMany ? values[r][j] : fill);
    }
    packs[r].Store(args.out + i + r * kStep);
  }
}

// kMany: the value differs from element to element. Else it is one element,
// read on the device if it is a Tensor's, so that the host need not wait.
template <typename Word, int N, bool kFlat, bool kMany>
__global__ void __launch_bounds__(kGpuThreads, /*min_blocks=*/2)
    MaskedFillGpuKernel(MaskedFillArgs<Word> args) {
  // Fewer packs where two operands have offsets to compute in registers.
  constexpr int kRounds = kMany && !kFlat ? 2 : 4;
  constexpr int kStep = kGpuThreads * N;
  constexpr int64_t kTile = kStep * kRounds;
  const int64_t packed = args.numel - args.numel % N;
  Word fill{};
  if (!kMany && args.value.data != nullptr) fill = *args.value.data;
  if (blockIdx.x == 0 && packed + threadIdx.x < args.numel) {
    FillPacks<Word, 1, false, kMany, 1>(args, fill, packed + threadIdx.x);
  }
  for (int64_t tile = blockIdx.x * kTile; tile < packed;
       tile += gridDim.x * kTile) {
    int64_t i = tile + threadIdx.x * N;
    if (tile + kTile <= packed) {
      FillPacks<Word, N, kFlat, kMany, kRounds>(args, fill, i);
    } else {
      for (; i < packed; i += kStep) {
        FillPacks<Word, N, kFlat, kMany, 1>(args, fill, i);
      }
    }
  }
}

template <typename Word, int N, bool kFlat, bool kMany>
void LaunchMaskedFill(const GPUContext& dev_ctx,
                      const MaskedFillArgs<Word>& args) {
  // Several waves of blocks, so that the last of them, which may not fill the
  // device, is a small part of the whole.
  const int64_t packs = args.numel / N / 4 + 1;
  const int64_t blocks = (packs + kGpuThreads - 1) / kGpuThreads;
  const int64_t most = static_cast<int64_t>(dev_ctx.GetSMCount()) * 64;
  const unsigned grid = static_cast<unsigned>(std::min(blocks, most));
  MaskedFillGpuKernel<Word, N, kFlat, kMany>
      <<<grid, kGpuThreads, 0, dev_ctx.stream()>>>(args);
}

template <typename Word, bool kMany>
void DispatchMaskedFill(const GPUContext& dev_ctx,
                        const MaskedFillArgs<Word>& args) {
  constexpr int N = PackSize<Word>();
  if (!IsAligned(args.out, 16)) {
    LaunchMaskedFill<Word, 1, false, kMany>(dev_ctx, args);
  } else if (CanReadFlat<N>(args.mask) && CanReadFlat<N>(args.x) &&
             (!kMany || CanReadFlat<N>(args.value))) {
    LaunchMaskedFill<Word, N, true, kMany>(dev_ctx, args);
  } else {
    LaunchMaskedFill<Word, N, false, kMany>(dev_ctx, args);
  }
}

// There must be an element. `one_value`: the value has only one.
template <typename Word>
void MaskedFillGpu(const GPUContext& dev_ctx,
                   const MaskedFillArgs<Word>& args,
                   bool one_value) {
  if (one_value) {
    DispatchMaskedFill<Word, /*kMany=*/false>(dev_ctx, args);
  } else {
    DispatchMaskedFill<Word, /*kMany=*/true>(dev_ctx, args);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
