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

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

struct Division {
  int64_t quotient;
  int64_t rest;
};

// Of numbers that are not negative. Divisions of 64 bits cost four times those
// of 32 bits, so they are kept for what needs them.
__device__ inline Division Divide(int64_t a, int64_t b) {
  if ((a | b) >> 32 != 0) return {a / b, a % b};
  const uint32_t quotient = static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
  return {quotient, a - static_cast<int64_t>(quotient) * b};
}

template <typename To, typename From>
__device__ inline To BitsAs(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "bits can't be added or lost");
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof(To));
  return to;
}

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

  static HOSTDEVICE int64_t Chunks(const AxisView& view) {
    return view.inner / kWidth;
  }
  static HOSTDEVICE int64_t RowBlocks(const AxisView& view) {
    return (view.outer + kRows - 1) / kRows;
  }
  // Threads' worth of work on `items` slots or positions.
  static HOSTDEVICE int64_t Work(const AxisView& view, int64_t items) {
    return Chunks(view) * RowBlocks(view) * items;
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
    using Word = typename WordOf<sizeof(T)>::type;
    const T* first = data + base.first + offset;
    if constexpr (kIsPack) {
      const auto pack =
          LoadPack<Word, kWidth>(reinterpret_cast<const Word*>(first));
#pragma unroll
      for (int j = 0; j < kWidth; ++j) lanes[j] = BitsAs<T>(pack.lane[j]);
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
    using Word = typename WordOf<sizeof(T)>::type;
    T* first = data + base.first + offset;
    if constexpr (kIsPack) {
      Pack<Word, kWidth> pack;
#pragma unroll
      for (int j = 0; j < kWidth; ++j) pack.lane[j] = BitsAs<Word>(lanes[j]);
      StorePack(reinterpret_cast<Word*>(first), pack);
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

template <typename T>
using PackedLanes = Lanes<PackSize<T>(), 1>;
using RowLanes = Lanes<1, 4>;
using OneLane = Lanes<1, 1>;

// The bytes of registers for a V in each lane.
template <typename V, typename L>
constexpr size_t RegisterBytes() {
  return std::max<size_t>(sizeof(V), 4) * L::kCount;
}

// Blocks that a multiprocessor must have room for, for kernels with a V in each
// lane. Without a number the compiler makes room for more of them than there
// are registers for, and spills to memory.
template <typename V, typename L>
constexpr int MinBlocks() {
  return RegisterBytes<V, L>() <= 16 ? 4 : 2;
}

// Calls f with lanes of T that suit the shapes and all of the pointers, which
// may be null.
template <typename T, typename F>
void VisitLanes(const AxisView& view,
                std::initializer_list<const void*> pointers,
                const F& f) {
  bool packs = view.inner > 1 && view.inner % PackSize<T>() == 0;
  for (const void* p : pointers) packs = packs && IsAligned(p, 16);
  if (packs) {
    f(static_cast<PackedLanes<T>*>(nullptr));
  } else {
    f(static_cast<RowLanes*>(nullptr));
  }
}

// A thread's share of the work on `items` slots or positions, in the order of
// the memory of x.
struct LaneWork {
  int64_t item;
  int64_t row_block;
  int64_t chunk;
};

template <typename L>
__device__ inline LaneWork LaneWorkOf(const AxisView& view,
                                      int64_t items,
                                      int64_t w) {
  const Division chunks = Divide(w, L::Chunks(view));
  const Division rows = Divide(chunks.quotient, items);
  return {rows.rest, rows.quotient, chunks.rest};
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
