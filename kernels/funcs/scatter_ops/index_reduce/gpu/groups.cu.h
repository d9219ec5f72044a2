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

// An index on the GPU: its check, its positions grouped by the slot that they
// point to, and the walk over the elements of slots or positions.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/core/enforce.h"
#include "paddle/phi/kernels/funcs/cub.h"
#include "paddle/phi/kernels/funcs/fast_divmod.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/call.h"

namespace phi::funcs::scatter_ops {

// order[begin(slot)] ... order[ends[slot] - 1], ascending, are the positions
// that point to a slot. Only `slots` is there for an index that is not sorted.
struct SlotGroups {
  int64_t n;             // positions
  const int64_t* slots;  // of each position
  const int64_t* order;
  const int64_t* ends;  // of the group of each slot

  __device__ int64_t begin(int64_t slot) const {
    return slot == 0 ? 0 : ends[slot - 1];
  }
  __device__ int64_t count(int64_t slot) const {
    return ends[slot] - begin(slot);
  }
};

// Checks the index, and adds `size` to negative slots. It is a launch of its
// own, so that a bad index stops the work before any output is written.
template <typename IndexT>
struct ReadSlots {
  IndexOp op;
  const IndexT* index;
  int64_t size;
  int64_t* slots;
  int64_t* positions;  // filled with 0, 1, 2, ...

  __device__ void operator()(int64_t i) const {
    const int64_t slot = index[i];
    PADDLE_ENFORCE(slot >= -size && slot < size,
                   "(%s) index must be in [%lld, %lld), as x has %lld elements "
                   "along axis, but index[%lld] is %lld.",
                   NameOf(op),
                   static_cast<long long>(-size),
                   static_cast<long long>(size),
                   static_cast<long long>(size),
                   static_cast<long long>(i),
                   static_cast<long long>(slot));
    slots[i] = slot < 0 ? slot + size : slot;
    positions[i] = i;
  }
};

// Where the group of each slot ends in the sorted slots.
struct FindEnds {
  const int64_t* keys;
  int64_t n;
  int64_t* ends;

  __device__ void operator()(int64_t slot) const {
    int64_t low = 0;
    int64_t high = n;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (keys[middle] > slot) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    ends[slot] = low;
  }
};

// Owns the memory that SlotGroups points to. It must live until the last launch
// that uses the groups is queued, and no longer: the allocator reuses memory in
// the order of the stream.
class IndexOnGpu {
 public:
  // Queues the check of the whole index and, if `sorted`, its groups.
  IndexOnGpu(const GPUContext& dev_ctx,
             IndexOp op,
             const DenseTensor& index,
             int64_t size,
             bool sorted) {
    const int64_t n = index.numel();
    groups_.n = n;
    if (n == 0) return;
    int64_t* slots = AllocScratch<int64_t>(dev_ctx, 4 * n + size, &memory_);
    int64_t* positions = slots + n;
    groups_.slots = slots;
    const auto read = [&](const auto* data) {
      using IndexT = std::decay_t<decltype(*data)>;
      ForEach(dev_ctx, n, ReadSlots<IndexT>{op, data, size, slots, positions});
    };
    if (index.dtype() == DataType::INT32) {
      read(index.data<int32_t>());
    } else {
      read(index.data<int64_t>());
    }
    if (!sorted) return;
    int64_t* keys = positions + n;
    int64_t* order = keys + n;
    int64_t* ends = order + n;
    Sort(dev_ctx, n, size, slots, keys, positions, order);
    ForEach(dev_ctx, size, FindEnds{keys, n, ends});
    groups_.order = order;
    groups_.ends = ends;
  }

  const SlotGroups& groups() const { return groups_; }

 private:
  // Equal slots keep the order of their positions.
  static void Sort(const GPUContext& dev_ctx,
                   int64_t n,
                   int64_t size,
                   const int64_t* slots,
                   int64_t* keys,
                   const int64_t* positions,
                   int64_t* order) {
    int bits = 1;
    while (bits < 63 && size > int64_t{1} << bits) ++bits;
    const auto sort = [&](void* temporary, size_t* bytes) {
      PADDLE_ENFORCE_GPU_SUCCESS(
          cub::DeviceRadixSort::SortPairs(temporary,
                                          *bytes,
                                          slots,
                                          keys,
                                          positions,
                                          order,
                                          n,
                                          /*begin_bit=*/0,
                                          bits,
                                          dev_ctx.stream()));
    };
    size_t bytes = 0;
    sort(nullptr, &bytes);
    DenseTensor temporary;
    sort(AllocScratch<uint8_t>(dev_ctx, bytes, &temporary), &bytes);
  }

  DenseTensor memory_;
  SlotGroups groups_{};
};

// One element of the slices of [outer, size, inner] around an axis.
struct Lane {
  int64_t x;        // where it lies in slot 0
  int64_t updates;  // where it lies in position 0
};

// Calls body(lane, item) for each of `items` slots or positions and each of
// their elements, in the order of their memory.
template <typename Body>
struct EachLane {
  AxisView view;
  int64_t items;
  Body body;
  FastDivMod<int64_t> by_items = FastDivMod<int64_t>(items);
  FastDivMod<int64_t> by_inner = FastDivMod<int64_t>(view.inner);

  __device__ void operator()(int64_t w) const {
    const int64_t rest = by_inner.Div(w);
    const int64_t row = by_items.Div(rest);
    const int64_t column = w - rest * view.inner;
    body(Lane{row * view.size * view.inner + column,
              row * view.updates_size * view.inner + column},
         rest - row * items);
  }
};

// There must be an item, and x must have elements.
template <typename Body>
void ForEachLane(const GPUContext& dev_ctx,
                 const AxisView& view,
                 int64_t items,
                 const Body& body) {
  ForEach(dev_ctx,
          view.outer * items * view.inner,
          EachLane<Body>{view, items, body});
}

}  // namespace phi::funcs::scatter_ops
