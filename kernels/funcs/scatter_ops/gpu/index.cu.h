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

// The index of the operators that reduce by an index, on the GPU: validation,
// counts of each row, and a stable sort by row.

#pragma once

#include <cstdint>
#include <limits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// The coordinates of an element of x, updates or a workspace.
struct AxisPlace {
  int64_t outer;
  int64_t row;  // along the axis
  int64_t inner;
};

// A Tensor as [outer, rows, inner] around the axis.
class AxisLayout {
 public:
  AxisLayout(int64_t rows, int64_t inner)
      : rows_(rows), inner_(inner), by_rows_(rows), by_inner_(inner) {}

  __device__ AxisPlace Locate(int64_t at) const {
    const int64_t outer_row = by_inner_.Div(at);
    const int64_t outer = by_rows_.Div(outer_row);
    return {outer, outer_row - outer * rows_, at - outer_row * inner_};
  }

  // `place`, but at another row.
  __device__ int64_t Offset(const AxisPlace& place, int64_t row) const {
    return (place.outer * rows_ + row) * inner_ + place.inner;
  }

 private:
  int64_t rows_;
  int64_t inner_;
  FastDivMod<int64_t> by_rows_;
  FastDivMod<int64_t> by_inner_;
};

// Rows of x, in int32 if they fit: the sort then moves half as many bytes.
struct Rows {
  int32_t* narrow = nullptr;
  int64_t* wide = nullptr;

  __device__ int64_t operator[](int64_t i) const {
    return narrow != nullptr ? narrow[i] : wide[i];
  }
};

constexpr int64_t kMaxNarrowRow = std::numeric_limits<int32_t>::max();

// An index and the layouts of the Tensors around its axis.
struct IndexedRows {
  AxisLayout in_x;
  AxisLayout in_updates;
  int64_t num_x;        // elements
  int64_t num_updates;  // elements
  int64_t size;         // of the axis
  int64_t length;       // of the index
  Rows rows;            // the row of x that each index entry names

  explicit IndexedRows(const AxisView& view)
      : in_x(view.size, view.inner),
        in_updates(view.length, view.inner),
        num_x(view.numel()),
        num_updates(view.outer * view.length * view.inner),
        size(view.size),
        length(view.length) {}

  // The element of x that element `at` of updates is reduced into.
  __device__ int64_t InX(const AxisPlace& at) const {
    return in_x.Offset(at, rows[at.row]);
  }
};

// Validates the index and makes negative entries positive. A launch of its own:
// an invalid index stops the work before an output is written.
template <typename IndexT>
void NormalizeIndex(const GPUContext& dev_ctx,
                    IndexOp op,
                    const IndexT* index,
                    const IndexedRows& indexed) {
  const int64_t size = indexed.size;
  const Rows rows = indexed.rows;
  ForEach(dev_ctx, indexed.length, [=] __device__(int64_t i) {
    int64_t row = index[i];
    PADDLE_ENFORCE(row >= -size && row < size,
                   "(%s) The values of index should be in [%lld, %lld) for a "
                   "dimension of size %lld, but received index[%lld] = %lld.",
                   NameOf(op),
                   static_cast<long long>(-size),
                   static_cast<long long>(size),
                   static_cast<long long>(size),
                   static_cast<long long>(i),
                   static_cast<long long>(row));
    if (row < 0) row += size;
    if (rows.narrow != nullptr) {
      rows.narrow[i] = static_cast<int32_t>(row);
    } else {
      rows.wide[i] = row;
    }
  });
}

inline IndexedRows ReadIndex(const GPUContext& dev_ctx,
                             IndexOp op,
                             const DenseTensor& index,
                             const AxisView& view,
                             DenseTensor* memory) {
  IndexedRows indexed(view);
  if (view.size <= kMaxNarrowRow) {
    indexed.rows.narrow = AllocWorkspace<int32_t>(dev_ctx, view.length, memory);
  } else {
    indexed.rows.wide = AllocWorkspace<int64_t>(dev_ctx, view.length, memory);
  }
  if (index.dtype() == DataType::INT32) {
    NormalizeIndex(dev_ctx, op, DataOrNull<int32_t>(index), indexed);
  } else {
    NormalizeIndex(dev_ctx, op, DataOrNull<int64_t>(index), indexed);
  }
  return indexed;
}

using RowCount = unsigned long long;  // NOLINT: the type of CUDA's atomics

enum class RowInfo { kCount, kLastEntry };

// For each row: the number of entries that name it, or the last of them plus
// one; 0 if there is none. Integer atomics do not depend on the order.
inline RowCount* GatherRowInfo(const GPUContext& dev_ctx,
                               RowInfo info,
                               const IndexedRows& indexed,
                               DenseTensor* memory) {
  auto* of_row = AllocWorkspace<RowCount>(dev_ctx, indexed.size, memory);
  ClearBytes(dev_ctx, of_row, indexed.size * sizeof(RowCount));
  ForEach(dev_ctx, indexed.length, [=] __device__(int64_t i) {
    RowCount* at = of_row + indexed.rows[i];
    if (info == RowInfo::kCount) {
      atomicAdd(at, RowCount{1});
    } else {
      atomicMax(at, static_cast<RowCount>(i + 1));
    }
  });
  return of_row;
}

// Index entries sorted by row. The entries of a row are a segment, in the order
// of the index.
struct Segments {
  Rows rows;
  const int32_t* entries;
  int64_t length;

  __device__ bool IsHead(int64_t p) const {
    return p == 0 || rows[p - 1] != rows[p];
  }
  __device__ bool Has(int64_t p, int64_t row) const {
    return p < length && rows[p] == row;
  }
};

// Stable. CUB before CCCL 2.8 takes the number of items as an int.
template <typename Row>
void SortPairs(const GPUContext& dev_ctx,
               int64_t size,
               int64_t n,
               const Row* rows,
               Row* sorted_rows,
               int32_t* entries) {
  int bits = 1;  // of a row
  while (bits < 63 && size > int64_t{1} << bits) ++bits;
  CallCub(dev_ctx, [&](void* temporary, size_t* bytes) {
    return cub::DeviceRadixSort::SortPairs(temporary,
                                           *bytes,
                                           rows,
                                           sorted_rows,
                                           entries,
                                           entries + n,
                                           static_cast<int>(n),
                                           /*begin_bit=*/0,
                                           /*end_bit=*/bits,
                                           dev_ctx.stream());
  });
}

inline Segments SortByRow(const GPUContext& dev_ctx,
                          IndexOp op,
                          const IndexedRows& indexed,
                          DenseTensor* memory) {
  const int64_t n = indexed.length;
  if (n > std::numeric_limits<int32_t>::max()) {
    PADDLE_THROW(common::errors::Unimplemented(
        "(%s) The length of index should be less than 2^31 on a GPU, but "
        "received %d.",
        NameOf(op),
        n));
  }
  int64_t* workspace = AllocWorkspace<int64_t>(dev_ctx, 2 * n, memory);
  auto* entries = reinterpret_cast<int32_t*>(workspace + n);  // then sorted
  const Rows& rows = indexed.rows;
  Rows sorted;
  if (n == 0) return {sorted, entries, n};
  ForEach(dev_ctx, n, [=] __device__(int64_t i) {
    entries[i] = static_cast<int32_t>(i);
  });
  if (rows.narrow != nullptr) {
    sorted.narrow = reinterpret_cast<int32_t*>(workspace);
    SortPairs(dev_ctx, indexed.size, n, rows.narrow, sorted.narrow, entries);
  } else {
    sorted.wide = workspace;
    SortPairs(dev_ctx, indexed.size, n, rows.wide, sorted.wide, entries);
  }
  return {sorted, entries + n, n};
}

}  // namespace phi::funcs::scatter_ops
