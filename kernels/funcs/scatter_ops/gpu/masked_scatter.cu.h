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

// masked_scatter and its gradients on the GPU, on raw pointers: the Trues of
// each tile of the mask are counted, the counts are scanned, and each tile
// moves its elements. Sums for an x that was broadcast are made in a fixed
// order, without atomics.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/kernels/funcs/cub.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// A tile is what a block goes through, in rounds of an element a thread.
constexpr int kTileRounds = 8;
constexpr int64_t kTileSize = kTileRounds * kGpuThreads;

using TileScan = cub::BlockScan<int, kGpuThreads>;

// Calls f(tile) for the tiles of a block.
template <typename F>
__device__ void ForTilesOfBlock(int64_t numel, const F& f) {
  const int64_t tiles = (numel + kTileSize - 1) / kTileSize;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) f(tile);
}

// By all threads of a block: calls f(i, take, before) for each element i of a
// tile, with whether it is True and how many Trues of the tile come before it.
// Returns the Trues of the tile.
template <typename F>
__device__ int ScanTile(const GpuOperand<uint8_t>& mask,
                        int64_t numel,
                        int64_t tile,
                        TileScan::TempStorage* storage,
                        const F& f) {
  int count = 0;
  for (int r = 0; r < kTileRounds; ++r) {
    const int64_t i = tile * kTileSize + r * kGpuThreads + threadIdx.x;
    const bool take = i < numel && mask[i] != 0;
    int before = 0;
    int total = 0;
    TileScan(*storage).ExclusiveSum(take ? 1 : 0, before, total);
    __syncthreads();  // the next round uses the storage again
    if (i < numel) f(i, take, count + before);
    count += total;
  }
  return count;
}

__global__ inline void __launch_bounds__(kGpuThreads)
    CountTilesGpuKernel(GpuOperand<uint8_t> mask,
                        int64_t numel,
                        int64_t* counts) {
  __shared__ typename TileScan::TempStorage storage;
  ForTilesOfBlock(numel, [&](int64_t tile) {
    const int count =
        ScanTile(mask, numel, tile, &storage, [](int64_t, bool, int) {});
    if (threadIdx.x == 0) counts[tile] = count;
  });
}

// By one block: before[i] = the sum of the counts of the tiles before tile i,
// up to that of all, before[tiles].
__global__ inline void __launch_bounds__(kGpuThreads)
    ScanCountsGpuKernel(const int64_t* counts, int64_t tiles, int64_t* before) {
  using Scan = cub::BlockScan<int64_t, kGpuThreads>;
  __shared__ typename Scan::TempStorage storage;
  int64_t sum = 0;
  for (int64_t first = 0; first < tiles; first += kGpuThreads) {
    const int64_t i = first + threadIdx.x;
    int64_t inside = 0;
    int64_t total = 0;
    Scan(storage).ExclusiveSum(i < tiles ? counts[i] : 0, inside, total);
    __syncthreads();  // the next round uses the storage again
    if (i < tiles) before[i] = sum + inside;
    sum += total;
  }
  if (threadIdx.x == 0) before[tiles] = sum;
}

// How many Trues of a mask that is read along `numel` elements come before each
// tile, and in all.
class TruesBefore {
 public:
  TruesBefore(const GPUContext& dev_ctx,
              const GpuOperand<uint8_t>& mask,
              int64_t numel)
      : tiles_((numel + kTileSize - 1) / kTileSize) {
    before_ = AllocScratch<int64_t>(dev_ctx, 2 * tiles_ + 1, &memory_);
    int64_t* counts = before_ + tiles_ + 1;
    CountTilesGpuKernel<<<GridSize(dev_ctx, tiles_ * kGpuThreads),
                          kGpuThreads,
                          0,
                          dev_ctx.stream()>>>(mask, numel, counts);
    ScanCountsGpuKernel<<<1, kGpuThreads, 0, dev_ctx.stream()>>>(
        counts, tiles_, before_);
  }

  // On the device.
  const int64_t* of_tiles() const { return before_; }
  const int64_t* total() const { return before_ + tiles_; }

  // The host waits for the device.
  int64_t ReadTotal(const GPUContext& dev_ctx) const {
    int64_t found = 0;
    backends::gpu::GpuMemcpyAsync(&found,
                                  total(),
                                  sizeof(int64_t),
                                  gpuMemcpyDeviceToHost,
                                  dev_ctx.stream());
    dev_ctx.Wait();
    return found;
  }

 private:
  int64_t tiles_;
  int64_t* before_;
  DenseTensor memory_;
};

// out = mask ? the next value : x. out may be x.
template <typename Word>
struct ScatterElement {
  GpuOperand<Word> x;
  const Word* values;
  Word* out;

  __device__ void operator()(int64_t i, bool take, int64_t k) const {
    out[i] = take ? values[k] : x[i];
  }
};

// The next value = out_grad where the mask is True.
template <typename Word>
struct GatherElement {
  const Word* out_grad;
  Word* values;
  int64_t value_numel;

  __device__ void operator()(int64_t i, bool take, int64_t k) const {
    if (take && k < value_numel) values[k] = out_grad[i];
  }
};

template <typename Move>
__global__ void __launch_bounds__(kGpuThreads) MoveTilesGpuKernel(
    GpuOperand<uint8_t> mask, int64_t numel, const int64_t* before, Move move) {
  __shared__ typename TileScan::TempStorage storage;
  ForTilesOfBlock(numel, [&](int64_t tile) {
    const int64_t first = before[tile];
    ScanTile(mask, numel, tile, &storage, [&](int64_t i, bool take, int k) {
      move(i, take, first + k);
    });
  });
}

// There must be an element.
template <typename Move>
void MoveByMask(const GPUContext& dev_ctx,
                const GpuOperand<uint8_t>& mask,
                int64_t numel,
                const TruesBefore& before,
                const Move& move) {
  const int64_t tiles = (numel + kTileSize - 1) / kTileSize;
  MoveTilesGpuKernel<<<GridSize(dev_ctx, tiles * kGpuThreads),
                       kGpuThreads,
                       0,
                       dev_ctx.stream()>>>(
      mask, numel, before.of_tiles(), move);
}

// Values that no True took have no gradient.
template <typename Word>
struct ZeroUnusedValues {
  Word* values;
  const int64_t* taken;

  __device__ void operator()(int64_t i) const {
    if (i >= *taken) values[i] = Word{};
  }
};

// out = mask ? 0 : x. out may be x.
template <typename Word>
struct ZeroMasked {
  GpuOperand<uint8_t> mask;
  GpuOperand<Word> x;
  Word* out;

  __device__ void operator()(int64_t i) const {
    out[i] = mask[i] != 0 ? Word{} : x[i];
  }
};

// The output's axes, split into those that the target keeps and those that it
// is summed over; each list maps a row-major number to an output offset.
struct SumAxes {
  OperandView kept;
  OperandView summed;

  SumAxes(const DDim& out_dims, const DDim& target_dims) {
    const BroadcastView target(out_dims, target_dims);
    int64_t stride = common::product(out_dims);
    for (int i = 0; i < target.rank(); ++i) {
      stride /= target.dim(i);
      OperandView& axes = target.stride(i) == 0 ? summed : kept;
      axes.Append(target.dim(i), stride);
    }
  }
};

// A thread for each (part of the summed elements, kept element).
template <typename T>
struct SumPart {
  using Sum = typename LongSumOf<T>::type;

  const T* in;
  GpuOperand<uint8_t> mask;
  SumAxes axes;
  FastDivMod<int64_t> by_kept;
  int64_t part_numel;  // summed elements of each part but the last
  Sum* sums;           // [parts, kept elements]

  __device__ void operator()(int64_t w) const {
    const int64_t part = by_kept.Div(w);
    const int64_t start = axes.kept.Offset(w - part * axes.kept.numel());
    const int64_t first = part * part_numel;
    const int64_t last = min(first + part_numel, axes.summed.numel());
    Sum sum{};
    for (int64_t i = first; i < last; ++i) {
      const int64_t at = start + axes.summed.Offset(i);
      if (mask[at] == 0) sum += static_cast<Sum>(in[at]);
    }
    sums[w] = sum;
  }
};

template <typename T>
struct AddParts {
  using Sum = typename LongSumOf<T>::type;

  const Sum* sums;
  int64_t parts;
  int64_t kept_numel;
  T* target;

  __device__ void operator()(int64_t i) const {
    Sum sum{};
    for (int64_t p = 0; p < parts; ++p) sum += sums[p * kept_numel + i];
    target[i] = FromSum<T>(sum);
  }
};

// target = the elements of `in` whose mask is False, summed.
template <typename T>
void SumUnmasked(const GPUContext& dev_ctx,
                 const T* in,
                 const GpuOperand<uint8_t>& mask,
                 const SumAxes& axes,
                 T* target) {
  using Sum = typename LongSumOf<T>::type;
  // Parts, so that a small target keeps many threads busy too. They depend on
  // the shapes alone, and so does the order of the additions.
  constexpr int64_t kWantedThreads = 1 << 16;
  constexpr int64_t kShortest = 64;
  const int64_t kept = axes.kept.numel();
  const int64_t summed = axes.summed.numel();
  const int64_t parts =
      std::max<int64_t>(1, std::min(kWantedThreads / kept, summed / kShortest));
  DenseTensor memory;
  Sum* sums = AllocScratch<Sum>(dev_ctx, parts * kept, &memory);
  ForEach(dev_ctx,
          parts * kept,
          SumPart<T>{in,
                     mask,
                     axes,
                     FastDivMod<int64_t>(kept),
                     (summed + parts - 1) / parts,
                     sums});
  ForEach(dev_ctx, kept, AddParts<T>{sums, parts, kept, target});
}

// grad = out_grad, of shape `dims`, with zeros where mask is True, summed to
// the shape of grad. grad may come in out_grad's memory. There must be an
// element.
template <typename T>
void MaskedGradInto(const GPUContext& dev_ctx,
                    const KeptGrad& out_grad,
                    const DDim& dims,
                    const GpuOperand<uint8_t>& mask,
                    DenseTensor* grad) {
  using Word = WordOf<T>;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  const bool summed = grad->numel() != numel;
  if (summed) out_grad.TakeApart(grad);
  T* data = dev_ctx.template Alloc<T>(grad);
  if (summed) {
    const SumAxes axes(dims, grad->dims());
    SumUnmasked(dev_ctx, out_grad.data<T>(), mask, axes, data);
    return;
  }
  const GpuOperand<Word> from{out_grad.data<Word>(), OperandView({dims, dims})};
  ForEach(dev_ctx,
          numel,
          ZeroMasked<Word>{mask, from, reinterpret_cast<Word*>(data)});
}

}  // namespace phi::funcs::scatter_ops
