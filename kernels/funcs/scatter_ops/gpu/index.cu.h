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

// The index of scatter, index_scatter and index_reduce on the GPU: validation,
// the count of entries or the last entry of each row, and a stable sort by row.
// ReadIndex comes first: the others require valid, nonnegative rows.

#pragma once

#include <cstdint>
#include <limits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// The coordinates of an element of x, updates or a workspace.
struct AxisCoords {
  int64_t outer;
  int64_t row;  // along the axis
  int64_t inner;
};

// A Tensor as [outer, rows, inner] around the axis.
class AxisLayout {
 public:
  AxisLayout(int64_t rows, int64_t inner)
      : rows_(rows), inner_(inner), rows_divmod_(rows), inner_divmod_(inner) {}

  __device__ AxisCoords Locate(int64_t at) const {
    const int64_t outer_row = inner_divmod_.Div(at);
    const int64_t outer = rows_divmod_.Div(outer_row);
    return {outer, outer_row - outer * rows_, at - outer_row * inner_};
  }

  // The offset of `coords` with another row.
  __device__ int64_t Offset(const AxisCoords& coords, int64_t row) const {
    return (coords.outer * rows_ + row) * inner_ + coords.inner;
  }

 private:
  int64_t rows_;
  int64_t inner_;
  FastDivMod<int64_t> rows_divmod_;
  FastDivMod<int64_t> inner_divmod_;
};

// Rows of x, as int32_t if they fit: the sort then moves half as many bytes.
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
  AxisLayout x_layout;
  AxisLayout updates_layout;
  int64_t x_numel;
  int64_t updates_numel;
  int64_t size;    // the dim of x along the axis
  int64_t length;  // the number of index entries
  Rows rows;       // the row of x that each index entry names

  explicit IndexedRows(const AxisView& view)
      : x_layout(view.size, view.inner),
        updates_layout(view.length, view.inner),
        x_numel(view.numel()),
        updates_numel(view.outer * view.length * view.inner),
        size(view.size),
        length(view.length) {}

  // The offset in x of the element that element `update` is reduced into.
  __device__ int64_t OffsetInX(const AxisCoords& update) const {
    return x_layout.Offset(update, rows[update.row]);
  }
};

// Validates the index and adds the size of the axis to negative entries. A
// separate launch: an invalid index traps before any output is written.
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
// one; 0 if there is none. Integer atomics are deterministic in any order.
inline RowCount* GatherRowInfo(const GPUContext& dev_ctx,
                               RowInfo info,
                               const IndexedRows& indexed,
                               DenseTensor* memory) {
  auto* row_info = AllocWorkspace<RowCount>(dev_ctx, indexed.size, memory);
  ClearBytes(dev_ctx, row_info, indexed.size * sizeof(RowCount));
  ForEach(dev_ctx, indexed.length, [=] __device__(int64_t i) {
    RowCount* target = row_info + indexed.rows[i];
    if (info == RowInfo::kCount) {
      atomicAdd(target, RowCount{1});
    } else {
      atomicMax(target, static_cast<RowCount>(i + 1));
    }
  });
  return row_info;
}

// Index entries sorted by row. The entries of a row form a segment, in index
// order.
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

// Stable. CUB before CCCL 2.8 requires an int number of items. The sorted
// entries follow the n unsorted ones.
template <typename Row>
void SortPairs(const GPUContext& dev_ctx,
               int64_t size,
               int64_t n,
               const Row* rows,
               Row* sorted_rows,
               int32_t* entries) {
  int bits = 1;  // of a row
  while (bits < 63 && size > int64_t{1} << bits) ++bits;
  CallCub(dev_ctx, [&](void* temp_storage, size_t* bytes) {
    return cub::DeviceRadixSort::SortPairs(temp_storage,
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
  auto* entries = reinterpret_cast<int32_t*>(workspace + n);
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
