// Reductions and gradients along the last axis: eight rows at a time are
// transposed into a tile in which the elements of a slice are contiguous, as
// they are along other axes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/convert_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_segments.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/normalized_index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/short_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

constexpr int64_t kTileRows = 8;
// Elements of a row that are processed at a time: they fit into the L1 cache.
constexpr int64_t kTileBlock = 64;
using TileLength = RowLength<kTileRows>;

#ifdef SCATTER_OPS_AVX2
// columns[c] = element c of the eight arrays at in, in + step ...
SCATTER_OPS_INLINE void Transpose8x8(const float* in,
                                     int64_t step,
                                     __m256* columns) {
  for (int64_t c = 0; c < kTileRows; c += 4) {
    // Elements c to c + 3 of two arrays each. Loading halves of a vector saves
    // shuffles.
    __m256 pair[4];
    for (int64_t r = 0; r < 4; ++r) {
      const float* row = in + r * step + c;
      pair[r] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(row)),
                                     _mm_loadu_ps(row + 4 * step),
                                     1);
    }
    const __m256 low_01 = _mm256_unpacklo_ps(pair[0], pair[1]);
    const __m256 low_23 = _mm256_unpacklo_ps(pair[2], pair[3]);
    const __m256 high_01 = _mm256_unpackhi_ps(pair[0], pair[1]);
    const __m256 high_23 = _mm256_unpackhi_ps(pair[2], pair[3]);
    columns[c] = _mm256_shuffle_ps(low_01, low_23, 0x44);
    columns[c + 1] = _mm256_shuffle_ps(low_01, low_23, 0xEE);
    columns[c + 2] = _mm256_shuffle_ps(high_01, high_23, 0x44);
    columns[c + 3] = _mm256_shuffle_ps(high_01, high_23, 0xEE);
  }
}

// Transposes 8x8 blocks, in_block and out_block elements apart. Rows of a block
// are in_step and out_step elements apart.
SCATTER_OPS_TARGET inline void TransposeBlocks(const float* in,
                                               int64_t in_step,
                                               int64_t in_block,
                                               int64_t blocks,
                                               float* out,
                                               int64_t out_step,
                                               int64_t out_block) {
  __m256 columns[kTileRows];
  for (int64_t b = 0; b < blocks; ++b) {
    Transpose8x8(in + b * in_block, in_step, columns);
    for (int64_t r = 0; r < kTileRows; ++r) {
      _mm256_storeu_ps(out + b * out_block + r * out_step, columns[r]);
    }
  }
}
#endif

// The strides of a matrix, one of which is 1.
struct MatrixStrides {
  int64_t row, element;

  int64_t step() const { return std::max(row, element); }
};
constexpr MatrixStrides kTileStrides{1, kTileRows};

// Copies `rows` rows of n elements into a tile, or back.
template <typename T>
void Transpose(const T* in,
               MatrixStrides from,
               int64_t rows,
               int64_t n,
               T* out,
               MatrixStrides to) {
  int64_t i = 0;
#ifdef SCATTER_OPS_AVX2
  if (sizeof(T) == sizeof(float) && rows == kTileRows && HasAvx2()) {
    const int64_t blocks = n / kTileRows;
    TransposeBlocks(reinterpret_cast<const float*>(in),
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

// Transpose into a tile of Sum.
template <typename T, typename Sum>
void WidenIntoTile(
    const T* in, int64_t step, int64_t rows, int64_t n, Sum* tile) {
  if constexpr (std::is_same<T, Sum>::value) {
    Transpose(in, {step, 1}, rows, n, tile, kTileStrides);
  } else {
    Sum wide[kTileRows * kTileBlock];
    for (int64_t b = 0; b < n; b += kTileBlock) {
      const int64_t count = std::min(kTileBlock, n - b);
      for (int64_t r = 0; r < rows; ++r) {
        ConvertRow(in + r * step + b, count, wide + r * kTileBlock);
      }
      Sum* block = tile + b * kTileRows;
      Transpose(wide, {kTileBlock, 1}, rows, count, block, kTileStrides);
    }
  }
}

// Transpose back, rounding. With marks, elements without an update stay bitwise
// identical to x, which matters for NaNs.
template <typename Mark, typename T, typename Sum>
void RoundIntoRows(const Sum* tile,
                   const Mark* marks,
                   int64_t rows,
                   int64_t n,
                   int64_t step,
                   const T* x,
                   T* out) {
  if constexpr (std::is_same<T, Sum>::value) {
    Transpose(tile, kTileStrides, rows, n, out, {step, 1});
  } else {
    Sum wide[kTileRows * kTileBlock];
    T rounded[kTileBlock];
    for (int64_t b = 0; b < n; b += kTileBlock) {
      const int64_t count = std::min(kTileBlock, n - b);
      const Sum* block = tile + b * kTileRows;
      Transpose(block, kTileStrides, rows, count, wide, {kTileBlock, 1});
      for (int64_t r = 0; r < rows; ++r) {
        T* to = out + r * step + b;
        ConvertRow(wide + r * kTileBlock, count, marks ? rounded : to);
        if (!marks) continue;
        const T* x_row = x + r * step + b;
        SCATTER_OPS_IVDEP
        for (int64_t i = 0; i < count; ++i) {
          to[i] = SelectVectorized(marks[b + i] > 0, rounded[i], x_row[i]);
        }
      }
    }
  }
}

// Whether tiles of T, 4 or 8 bytes, are faster than rows: along the last axis,
// for 4-byte elements with AVX2 only, if a tile fits into the L2 cache and the
// index is not sparse. The index must be short enough for SliceMark.
template <typename T>
bool IsFasterTransposed(const AxisView& view) {
  const int64_t n = view.length;
  constexpr int64_t kMaxTileBytes = 512 << 10;
  constexpr int64_t kMaxSlicesPerEntry = 8;
  return (sizeof(T) == 8 || HasAvx2()) && view.inner == 1 &&
         view.outer >= kTileRows && n >= view.size / kMaxSlicesPerEntry &&
         n < std::numeric_limits<int32_t>::max() &&
         view.size * kTileRows * static_cast<int64_t>(sizeof(T)) <=
             kMaxTileBytes;
}

// Whether tiles are faster for gradients, which keep all updates of eight rows
// in tiles.
template <typename T>
bool IsGradFasterTransposed(const AxisView& view) {
  constexpr int64_t kMaxEntries = 1 << 18;
  return sizeof(T) <= 8 && view.length <= kMaxEntries &&
         IsFasterTransposed<T>(view);
}

// Calls f(begin, end) for one range of rows per thread, of whole tiles.
template <typename F>
void ForEachTileRange(int64_t outer, int64_t bytes, const F& f) {
  const int64_t num_tiles = (outer + kTileRows - 1) / kTileRows;
  const int64_t num_threads = NumThreadsFor(bytes);
  ParallelFor(num_threads, bytes, [&](int64_t t) {
    f(num_tiles * t / num_threads * kTileRows,
      std::min(outer, num_tiles * (t + 1) / num_threads * kTileRows));
  });
}

// A tile of n columns, initialized to zeros for missing rows.
template <typename T>
std::unique_ptr<T[]> MakeTile(int64_t n) {
  return std::unique_ptr<T[]>(new T[n * kTileRows]());
}

template <typename T, typename Mark>
void DivideTile(const Mark* marks, int64_t n, bool include_self, T* tile) {
  for (int64_t i = 0; i < n; ++i) {
    T* sums = tile + i * kTileRows;
    const Mark count = marks[i] + include_self;
    alignas(64) T means[kTileRows];
    SCATTER_OPS_NO_UNROLL
    for (int64_t r = 0; r < kTileRows; ++r) {
      const T mean = FinalizeSum<IndexReduce::kMean>(sums[r], count);
      means[r] = marks[i] > 0 ? mean : sums[r];
    }
    std::copy_n(means, kTileRows, sums);
  }
}

// Reduces rows [o, o + rows) of x, with rows <= kTileRows.
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
  WidenIntoTile(x, size, rows, size, tile);
  if (!operands.include_self && kReduce != IndexReduce::kAssign) {
    InitializeRows<kReduce>(marks, size, TileLength{}, tile, tile);
  }
  Sum block[kTileBlock * kTileRows] = {};
  operands.index.ForEachChunk(
      [&](int64_t at, const int64_t* slices, int64_t n) {
        for (int64_t i = 0; i < n; i += kTileBlock) {
          const int64_t count = std::min(kTileBlock, n - i);
          WidenIntoTile(updates + at + i, step, rows, count, block);
          ReduceRows<kReduce>(
              ChunkEntries{0, slices + i, count}, TileLength{}, block, tile);
        }
      });
  if constexpr (kReduce == IndexReduce::kMean) {
    DivideTile(marks, size, operands.include_self, tile);
  }
  RoundIntoRows(tile, marks, rows, size, size, x, out);
}

// out = x with the updates reduced into it if tiles are faster; else returns
// false.
template <typename T, IndexReduce kReduce>
bool ReduceTransposed(const ReduceOperands<T>& operands) {
  using Sum = ReduceType<T, kReduce>;
  // Not for means that accumulate in a wider type than T. 8-byte elements are
  // faster by rows, except for gradients.
  if constexpr (sizeof(Sum) == 4 &&
                (std::is_same<T, Sum>::value || kIsHalf<T>)) {
    const AxisView& view = operands.view;
    if (!IsFasterTransposed<Sum>(view)) return false;
    std::unique_ptr<SliceMark<kReduce>[]> marks;
    // For identities, means, and rounding, which preserves untouched slices.
    const bool needs_marks =
        kIsHalf<T> || kReduce == IndexReduce::kMean || !operands.include_self;
    if (kReduce != IndexReduce::kAssign && needs_marks) {
      marks = MarkSlices<SliceMark<kReduce>>(operands.index, {{0, view.size}});
    }
    const int64_t bytes = view.outer * (view.size + view.length) * sizeof(T);
    ForEachTileRange(view.outer, bytes, [&](int64_t begin, int64_t end) {
      const auto tile = MakeTile<Sum>(view.size);
      CallVectorizedIf<kIsHalf<T>>([&] {
        for (int64_t o = begin; o < end; o += kTileRows) {
          const int64_t rows = std::min(kTileRows, end - o);
          ReduceTile<kReduce>(operands, marks.get(), o, rows, tile.get());
        }
      });
    });
    return true;
  }
  return false;
}

// The gradients of a nonlinear reduction if tiles are faster; else returns
// false. Differentiator::Differentiate must accept a constant length and an
// x_grad that is its out_grad; Sum is its type of elements.
template <typename Differentiator, typename Sum, typename T>
bool DifferentiateTransposed(const AxisView& view,
                             const IndexSegments& segments,
                             bool include_self,
                             const IndexGradTensors<T>& tensors) {
  if (!IsGradFasterTransposed<Sum>(view)) return false;
  const int64_t size = view.size;
  const int64_t n = view.length;
  const int64_t bytes = view.outer * (size + n) * sizeof(T);
  ForEachTileRange(view.outer, bytes, [&](int64_t begin, int64_t end) {
    const auto x = MakeTile<Sum>(size);
    const auto out = MakeTile<Sum>(Differentiator::kReadsOut ? size : 0);
    const auto grad = MakeTile<Sum>(size);
    const auto updates = MakeTile<Sum>(n);
    const auto updates_grad = MakeTile<Sum>(tensors.updates_grad ? n : 0);
    const IndexGradTensors<Sum> tiles{
        x.get(),
        updates.get(),
        out.get(),
        grad.get(),
        tensors.x_grad ? grad.get() : nullptr,
        tensors.updates_grad ? updates_grad.get() : nullptr};
    const Differentiator differentiator(
        kTileRows, segments, include_self, tiles);
    CallVectorizedIf<kIsHalf<T>>([&] {
      for (int64_t o = begin; o < end; o += kTileRows) {
        const int64_t rows = std::min(kTileRows, end - o);
        const auto widen = [&](const T* from, int64_t step, Sum* tile) {
          WidenIntoTile(from + o * step, step, rows, step, tile);
        };
        const auto round = [&](const Sum* tile, int64_t step, T* to) {
          const uint8_t* no_marks = nullptr;
          const T* no_x = nullptr;
          RoundIntoRows(tile, no_marks, rows, step, step, no_x, to + o * step);
        };
        widen(tensors.x, size, x.get());
        if (Differentiator::kReadsOut) widen(tensors.out, size, out.get());
        widen(tensors.out_grad, size, grad.get());
        widen(tensors.updates, n, updates.get());
        for (int64_t g = 0; g < segments.count(); ++g) {
          differentiator.Differentiate(
              g, segments.slices[g] * kTileRows, 0, TileLength{});
        }
        if (tensors.x_grad) round(grad.get(), size, tensors.x_grad);
        if (tensors.updates_grad) {
          round(updates_grad.get(), n, tensors.updates_grad);
        }
      }
    });
  });
  return true;
}

}  // namespace phi::funcs::scatter_ops
