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

// A lane is one element of a slot. A thread of the index_reduce kernels handles
// a few lanes of a slot: neighbours that one 16-byte access moves, or elements
// of several rows.

#pragma once

#include <cstdint>
#include <initializer_list>

#include "paddle/phi/kernels/funcs/aligned_vector.h"
#include "paddle/phi/kernels/funcs/fast_divmod.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Where the rows of some lanes lie in an operand.
struct LaneRows {
  int64_t first;
  int64_t step;
};

// kWidth neighbours in each of kRows rows of [outer, size, inner]: lane
// r * kWidth + j is neighbour j of row r. More than one row only to have loads
// in flight where there are no neighbours; the rows lie far apart, so that the
// threads of a warp still share their rows.
template <int kWidth, int kRows>
struct Lanes {
  static_assert(kWidth == 1 || kRows == 1, "one of both is enough");
  static constexpr int kCount = kWidth * kRows;
  static constexpr bool kIsPack = kWidth > 1;

  int rows;          // that there are
  LaneRows x;        // of slot 0
  LaneRows updates;  // of position 0
  LaneRows columns;  // in the flattened [outer, inner]

  static int64_t Chunks(const AxisView& view) { return view.inner / kWidth; }
  HOSTDEVICE static int64_t RowBlocks(const AxisView& view) {
    return (view.outer + kRows - 1) / kRows;
  }

  __device__ Lanes(const AxisView& view, int64_t row_block, int64_t chunk) {
    const int64_t step = RowBlocks(view);
    rows = 1;
#pragma unroll
    for (int r = 1; r < kRows; ++r) {
      if (row_block + r * step < view.outer) rows = r + 1;
    }
    const int64_t column = chunk * kWidth;
    const int64_t x_row = view.size * view.inner;
    const int64_t updates_row = view.updates_size * view.inner;
    x = {row_block * x_row + column, step * x_row};
    updates = {row_block * updates_row + column, step * updates_row};
    columns = {row_block * view.inner + column, step * view.inner};
  }

  // Whether lane l exists: the last rows may be fewer than kRows.
  __device__ bool Has(int l) const { return kRows == 1 || l < rows; }

  // `base` is x or updates, `offset` that of the slot or position.
  template <typename T>
  __device__ void Load(const T* data,
                       const LaneRows& base,
                       int64_t offset,
                       T* lanes) const {
    const T* first = data + base.first + offset;
    if constexpr (kIsPack) {
      AlignedVector<T, kWidth> pack;
      phi::Load(first, &pack);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) lanes[j] = pack[j];
    } else {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        lanes[r] = Has(r) ? first[r * base.step] : T{};
      }
    }
  }

  template <typename T>
  __device__ void Store(T* data,
                        const LaneRows& base,
                        int64_t offset,
                        const T* lanes) const {
    T* first = data + base.first + offset;
    if constexpr (kIsPack) {
      AlignedVector<T, kWidth> pack;
#pragma unroll
      for (int j = 0; j < kWidth; ++j) pack[j] = lanes[j];
      phi::Store(pack, first);
    } else {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        if (Has(r)) first[r * base.step] = lanes[r];
      }
    }
  }

  // Where lane l lies in a row of [outer, inner].
  __device__ int64_t Column(int l) const {
    return columns.first + (kIsPack ? l : l * columns.step);
  }
};

using RowLanes = Lanes<1, 4>;
using OneLane = Lanes<1, 1>;

// Calls body(lanes, item) for each of `items` slots or positions and each of
// their lanes, in the order of the memory of x.
template <typename L, typename Body>
class EachLane {
 public:
  EachLane(const AxisView& view, int64_t items, const Body& body)
      : view_(view),
        items_(items),
        chunks_(L::Chunks(view)),
        by_items_(items),
        by_chunks_(chunks_),
        body_(body) {}

  int64_t work() const { return chunks_ * L::RowBlocks(view_) * items_; }

  __device__ void operator()(int64_t w) const {
    const int64_t rest = by_chunks_.Div(w);
    const int64_t row_block = by_items_.Div(rest);
    body_(L(view_, row_block, w - rest * chunks_), rest - row_block * items_);
  }

 private:
  AxisView view_;
  int64_t items_;
  int64_t chunks_;
  FastDivMod<int64_t> by_items_;
  FastDivMod<int64_t> by_chunks_;
  Body body_;
};

// As many lanes of T at once as suit the shapes and all of the pointers, which
// may be null. There must be an item, and x must have elements.
template <typename T, typename Body>
void ForEachLane(const GPUContext& dev_ctx,
                 const AxisView& view,
                 int64_t items,
                 std::initializer_list<const void*> pointers,
                 const Body& body) {
  constexpr int N = PackSize<T>();
  bool packs = view.inner > 1 && view.inner % N == 0;
  for (const void* p : pointers) packs = packs && IsAligned(p, 16);
  if (packs) {
    const EachLane<Lanes<N, 1>, Body> each(view, items, body);
    ForEach(dev_ctx, each.work(), each);
  } else {
    const EachLane<RowLanes, Body> each(view, items, body);
    ForEach(dev_ctx, each.work(), each);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
