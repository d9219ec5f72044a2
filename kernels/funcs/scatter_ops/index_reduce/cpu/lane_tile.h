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

// Reductions and gradients along the last axis: eight rows at a time are turned
// into a tile in which the elements of a slot are neighbours, as they are along
// other axes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

constexpr int64_t kTileRows = 8;
// Elements of a row that are turned at a time: the L1 cache has room for them.
constexpr int64_t kTileBlock = 64;
using TileLength = RowLength<kTileRows>;

#ifdef SCATTER_OPS_AVX2
// words[c] = the words c of the eight arrays at in, in + step ...
SCATTER_OPS_STEP void TurnEight(const float* in, int64_t step, __m256* words) {
  for (int64_t c = 0; c < kTileRows; c += 4) {
    // Words c to c + 3 of two arrays each. To load halves of a vector costs no
    // shuffle later.
    __m256 pair[4];
    for (int64_t r = 0; r < 4; ++r) {
      const float* at = in + r * step + c;
      pair[r] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at)),
                                     _mm_loadu_ps(at + 4 * step),
                                     1);
    }
    const __m256 low_01 = _mm256_unpacklo_ps(pair[0], pair[1]);
    const __m256 low_23 = _mm256_unpacklo_ps(pair[2], pair[3]);
    const __m256 high_01 = _mm256_unpackhi_ps(pair[0], pair[1]);
    const __m256 high_23 = _mm256_unpackhi_ps(pair[2], pair[3]);
    words[c] = _mm256_shuffle_ps(low_01, low_23, 0x44);
    words[c + 1] = _mm256_shuffle_ps(low_01, low_23, 0xEE);
    words[c + 2] = _mm256_shuffle_ps(high_01, high_23, 0x44);
    words[c + 3] = _mm256_shuffle_ps(high_01, high_23, 0xEE);
  }
}

// Turns blocks of eight rows and eight columns, which follow each other after
// in_block words and out_block words. The rows of a block are in_step and
// out_step words apart.
SCATTER_OPS_TARGET inline void TurnBlocks(const float* in,
                                          int64_t in_step,
                                          int64_t in_block,
                                          int64_t blocks,
                                          float* out,
                                          int64_t out_step,
                                          int64_t out_block) {
  __m256 words[kTileRows];
  for (int64_t b = 0; b < blocks; ++b) {
    TurnEight(in + b * in_block, in_step, words);
    for (int64_t r = 0; r < kTileRows; ++r) {
      _mm256_storeu_ps(out + b * out_block + r * out_step, words[r]);
    }
  }
}
#endif

// How far apart neighbours of an array of `rows` rows lie: one of the two is 1.
struct Lines {
  int64_t row, element;

  int64_t step() const { return std::max(row, element); }
};
constexpr Lines kTileLines{1, kTileRows};

// Copies n elements each of `rows` rows from rows into a tile, or back.
template <typename T>
void Turn(const T* in, Lines from, int64_t rows, int64_t n, T* out, Lines to) {
  int64_t i = 0;
#ifdef SCATTER_OPS_AVX2
  if (sizeof(T) == sizeof(float) && rows == kTileRows && HasAvx2()) {
    const int64_t blocks = n / kTileRows;
    TurnBlocks(reinterpret_cast<const float*>(in),
               from.step(),
               kTileRows * from.element,
               blocks,
               reinterpret_cast<float*>(out),
               to.step(),
               kTileRows * to.element);
    i = blocks * kTileRows;
  }
#endif
  for (; i < n; ++i) {
    for (int64_t r = 0; r < rows; ++r) {
      out[r * to.row + i * to.element] = in[r * from.row + i * from.element];
    }
  }
}

// The same for at most kTileBlock elements, which the tile has as Sum.
template <typename T, typename Sum>
void WidenIntoTile(
    const T* in, int64_t step, int64_t rows, int64_t n, Sum* tile) {
  if constexpr (std::is_same<T, Sum>::value) {
    Turn(in, {step, 1}, rows, n, tile, kTileLines);
  } else {
    Sum wide[kTileRows * kTileBlock];
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = 0; i < n; ++i) {
        wide[r * kTileBlock + i] = WidenedTo<Sum>(in[r * step + i]);
      }
    }
    Turn(wide, {kTileBlock, 1}, rows, n, tile, kTileLines);
  }
}

// The way back. Without an update the bits of x stay: a NaN has many.
template <typename Mark, typename T, typename Sum>
void RoundIntoRows(const Sum* tile,
                   const Mark* marks,
                   int64_t rows,
                   int64_t n,
                   int64_t step,
                   const T* x,
                   T* out) {
  if constexpr (std::is_same<T, Sum>::value) {
    Turn(tile, kTileLines, rows, n, out, {step, 1});
  } else {
    Sum wide[kTileRows * kTileBlock];
    Turn(tile, kTileLines, rows, n, wide, {kTileBlock, 1});
    for (int64_t r = 0; r < rows; ++r) {
      const T* kept = x + r * step;
      T* to = out + r * step;
      SCATTER_OPS_IVDEP
      for (int64_t i = 0; i < n; ++i) {
        const T rounded = RoundedTo<T>(wide[r * kTileBlock + i]);
        to[i].x = Choose(marks[i] > 0, rounded.x, kept[i].x);
      }
    }
  }
}

// Whether a tile of T pays: others are done faster by rows.
template <typename T>
constexpr bool kTurns = sizeof(T) == 4 || sizeof(T) == 8;

// Whether rows along the last axis are worth to be turned into tiles of T:
// those of 4 bytes by AVX2. A tile fits into the caches near a core, and not
// few of its elements have an update. The index has to be short enough for
// SlotMarks.
template <typename T>
bool PaysInTiles(const AxisView& view, int64_t n) {
  constexpr int64_t kNearBytes = 512 << 10;
  return (sizeof(T) == 8 || HasAvx2()) && view.inner == 1 &&
         view.outer >= kTileRows && n >= view.size / 8 &&
         n <= std::numeric_limits<int32_t>::max() &&
         view.size * kTileRows * static_cast<int64_t>(sizeof(T)) <= kNearBytes;
}

// Calls f(begin, end) for parts of the rows, whole tiles, one a thread.
template <typename F>
void ForEachThreadOfTiles(int64_t outer, int64_t bytes, const F& f) {
  const int64_t tiles = (outer + kTileRows - 1) / kTileRows;
  const int64_t threads = ThreadsFor(bytes);
  ParallelFor(threads, bytes, [&](int64_t t) {
    f(tiles * t / threads * kTileRows,
      std::min(outer, tiles * (t + 1) / threads * kTileRows));
  });
}

// n columns of a tile, with zeros where it has fewer rows.
template <typename T>
std::unique_ptr<T[]> TileArray(int64_t n) {
  return std::unique_ptr<T[]>(new T[n * kTileRows]());
}

// Means of the slots that are marked.
template <typename T, typename Mark>
void DivideTile(const Mark* marks, int64_t n, bool include_self, T* tile) {
  for (int64_t i = 0; i < n; ++i) {
    T* sums = tile + i * kTileRows;
    const Mark count = marks[i] + include_self;
    alignas(64) T means[kTileRows];
    SCATTER_OPS_NO_UNROLL
    for (int64_t r = 0; r < kTileRows; ++r) {
      const T mean = TotalOf<IndexReduce::kMean>(sums[r], count);
      means[r] = marks[i] > 0 ? mean : sums[r];
    }
    std::copy_n(means, kTileRows, sums);
  }
}

// Reduces `rows` rows of x, kTileRows or fewer, from row o on.
template <IndexReduce kReduce, typename T, typename Mark, typename Sum>
void ReduceTile(const ReduceOperands<T>& operands,
                const Mark* marks,
                int64_t o,
                int64_t rows,
                Sum* tile) {
  const int64_t size = operands.view.size;
  const int64_t step = operands.view.length;
  const T* x = operands.x + o * size;
  const T* updates = operands.updates + o * step;
  T* out = operands.out + o * size;
  for (int64_t i = 0; i < size; i += kTileBlock) {
    const int64_t count = std::min(kTileBlock, size - i);
    Sum* start = tile + i * kTileRows;
    WidenIntoTile(x + i, size, rows, count, start);
    if (!operands.include_self && kReduce != IndexReduce::kAssign) {
      StartRows<kReduce>(marks + i, count, TileLength{}, start, start);
    }
  }
  Sum block[kTileBlock * kTileRows] = {};
  operands.slots.ForEachChunk([&](int64_t at, const int64_t* slots, int64_t n) {
    for (int64_t i = 0; i < n; i += kTileBlock) {
      const int64_t count = std::min(kTileBlock, n - i);
      WidenIntoTile(updates + at + i, step, rows, count, block);
      ReduceRows<kReduce>(
          WholeList{0, slots + i, count}, TileLength{}, block, tile);
    }
  });
  for (int64_t i = 0; i < size; i += kTileBlock) {
    const int64_t count = std::min(kTileBlock, size - i);
    Sum* sums = tile + i * kTileRows;
    if constexpr (kReduce == IndexReduce::kMean) {
      DivideTile(marks + i, count, operands.include_self, sums);
    }
    RoundIntoRows(sums, marks + i, rows, count, size, x + i, out + i);
  }
}

// out = x with the updates reduced into it, if these are rows along the last
// axis for which tiles pay.
template <typename T, IndexReduce kReduce>
bool ReduceLaneTiles(const ReduceOperands<T>& operands) {
  using Sum = std::conditional_t<kReduce == IndexReduce::kAssign,
                                 T,
                                 typename ReduceType<T, kReduce>::type>;
  // Not where the sums of a mean are larger than its elements.
  if constexpr (kTurns<Sum> && ReducesInOrder<T, kReduce>() &&
                (std::is_same<T, Sum>::value || kIsHalf<T>)) {
    const AxisView& view = operands.view;
    const int64_t n = operands.slots.length();
    if (!PaysInTiles<Sum>(view, n)) return false;
    SlotMarks<kReduce, int32_t> marks;
    if (kReduce != IndexReduce::kAssign) {
      marks.Make(operands.slots, view.size, {{0, view.size}});
    }
    const int64_t bytes = view.outer * (view.size + n) * sizeof(T);
    ForEachThreadOfTiles(view.outer, bytes, [&](int64_t begin, int64_t end) {
      const auto tile = TileArray<Sum>(view.size);
      CallVectorisedForHalf<T>([&] {
        for (int64_t o = begin; o < end; o += kTileRows) {
          const int64_t rows = std::min(kTileRows, end - o);
          ReduceTile<kReduce>(operands, marks.from(0), o, rows, tile.get());
        }
      });
    });
    return true;
  }
  return false;
}

// Gradients of groups along the last axis, if tiles pay. The differentiator of
// a tile has Differentiate(g, x_offset, updates_offset, a constant length), and
// its x_grad may be its out_grad.
template <typename Differentiator, typename T>
bool DifferentiateLaneTiles(const AxisView& view,
                            const IndexGroups& groups,
                            bool include_self,
                            const IndexGradTensors<T>& tensors) {
  const int64_t size = view.size;
  const int64_t n = groups.positions();
  constexpr int64_t kMostPositions = 1 << 18;  // each thread keeps them
  if (!PaysInTiles<T>(view, n) || n > kMostPositions) return false;
  const int64_t bytes = view.outer * (size + n) * sizeof(T);
  const int64_t step = view.length;
  ForEachThreadOfTiles(view.outer, bytes, [&](int64_t begin, int64_t end) {
    const auto x = TileArray<T>(size);
    const auto out = TileArray<T>(Differentiator::kReadsOut ? size : 0);
    const auto grad = TileArray<T>(size);
    const auto updates = TileArray<T>(n);
    const auto updates_grad = TileArray<T>(tensors.updates_grad ? n : 0);
    const IndexGradTensors<T> tile{
        x.get(),
        updates.get(),
        out.get(),
        grad.get(),
        tensors.x_grad ? grad.get() : nullptr,
        tensors.updates_grad ? updates_grad.get() : nullptr};
    const Differentiator differentiator(kTileRows, groups, include_self, tile);
    for (int64_t o = begin; o < end; o += kTileRows) {
      const int64_t rows = std::min(kTileRows, end - o);
      const auto turn = [&](const T* in, int64_t step, int64_t n, T* to) {
        Turn(in + o * step, {step, 1}, rows, n, to, kTileLines);
      };
      const auto turn_back = [&](const T* in, int64_t n, int64_t step, T* to) {
        Turn(in, kTileLines, rows, n, to + o * step, {step, 1});
      };
      turn(tensors.x, size, size, x.get());
      if (Differentiator::kReadsOut) turn(tensors.out, size, size, out.get());
      turn(tensors.out_grad, size, size, grad.get());
      turn(tensors.updates, step, n, updates.get());
      for (int64_t g = 0; g < groups.count(); ++g) {
        differentiator.Differentiate(
            g, groups.dest[g] * kTileRows, 0, TileLength{});
      }
      if (tensors.x_grad) turn_back(grad.get(), size, size, tensors.x_grad);
      if (tensors.updates_grad) {
        turn_back(updates_grad.get(), n, step, tensors.updates_grad);
      }
    }
  });
  return true;
}

}  // namespace phi::funcs::scatter_ops
