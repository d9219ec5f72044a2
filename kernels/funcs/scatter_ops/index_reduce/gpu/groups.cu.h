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

// The positions of an index on the GPU, grouped by the slot that they point to:
// what the sorted index looks like to a kernel, and how it is made.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/core/enforce.h"
#include "paddle/phi/kernels/funcs/cub.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/call.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Slots, stored in 32 bits if all of them fit.
struct SlotArray {
  const void* data;
  bool wide;

  __device__ int64_t operator[](int64_t i) const {
    return wide ? static_cast<int64_t>(static_cast<const uint64_t*>(data)[i])
                : static_cast<const uint32_t*>(data)[i];
  }
};

// Positions order[begin] ... order[end - 1], ascending, point to `slot`.
struct SlotGroup {
  int64_t slot;
  int64_t begin;
  int64_t end;

  __device__ int64_t size() const { return end - begin; }
};

// The positions of an index, sorted by the slot that they point to. The groups
// are numbered in one of two ways:
//   by slot: `count` is the size of the axis, group i holds the positions that
//     point to slot i, and is empty if there are none;
//   by entry: `count` is the length of the index, group i holds the positions
//     of a slot if sorted entry i is the first of that slot, and is empty for
//     the other entries. That is less work for an index much shorter than the
//     axis.
struct SlotGroups {
  int64_t n;
  int64_t count;
  bool by_slot;
  SlotArray slots;        // of each position
  SlotArray keys;         // sorted slots
  const uint32_t* order;  // sorted positions
  const uint32_t* ends;   // of each group

  __device__ SlotGroup operator[](int64_t i) const {
    if (!by_slot) return {keys[i], i, ends[i]};
    return {i, i == 0 ? 0 : int64_t{ends[i - 1]}, ends[i]};
  }

  // True if all of the sorted entries [first, last] point to one slot.
  __device__ bool SameSlot(int64_t first, int64_t last) const {
    return keys[first] == keys[last];
  }
};

// Checks the index, and adds `size` to negative slots. It is a launch of its
// own, so that a bad index stops the work before any output is written.
template <typename IndexT, typename Slot>
struct ReadSlots {
  IndexOp op;
  const IndexT* index;
  int64_t size;
  Slot* slots;
  uint32_t* positions;  // null, or filled with 0, 1, 2, ...

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
    slots[i] = static_cast<Slot>(slot < 0 ? slot + size : slot);
    if (positions) positions[i] = static_cast<uint32_t>(i);
  }
};

// Where each group ends: by binary search, in which neighbours read the same.
template <typename Slot>
struct FindEnds {
  const Slot* keys;
  int64_t n;
  bool by_slot;
  uint32_t* ends;

  __device__ void operator()(int64_t i) const {
    const bool later_entry = !by_slot && i > 0 && keys[i - 1] == keys[i];
    const Slot slot = by_slot ? static_cast<Slot>(i) : keys[i];
    int64_t low = by_slot ? 0 : i;
    int64_t high = later_entry ? low : n;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (keys[middle] > slot) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    ends[i] = static_cast<uint32_t>(low);
  }
};

// How the groups of an index are to be numbered.
enum class GroupBy { kNone, kSlot, kEntry };

// Owns the memory that SlotGroups points to. It must live until the last launch
// that uses the groups is queued, and no longer: the allocator reuses memory in
// the order of the stream.
class IndexOnGpu {
 public:
  // Queues the check of the whole index, and what `by` asks for.
  IndexOnGpu(const GPUContext& dev_ctx,
             IndexOp op,
             const DenseTensor& index,
             int64_t size,
             GroupBy by) {
    groups_.n = index.numel();
    groups_.by_slot = by == GroupBy::kSlot;
    groups_.count = groups_.by_slot ? size : groups_.n;
    if (groups_.n == 0) return;
    if (by != GroupBy::kNone && groups_.n > UINT32_MAX) {
      PADDLE_THROW(common::errors::Unimplemented(
          "(%s) index may have up to 2^32 - 1 elements on a GPU, but it has "
          "%d.",
          NameOf(op),
          groups_.n));
    }
    if (size > UINT32_MAX) {
      Read<uint64_t>(dev_ctx, op, index, size, by);
    } else {
      Read<uint32_t>(dev_ctx, op, index, size, by);
    }
  }

  const SlotGroups& groups() const { return groups_; }

 private:
  template <typename Slot>
  void Read(const GPUContext& dev_ctx,
            IndexOp op,
            const DenseTensor& index,
            int64_t size,
            GroupBy by) {
    const int64_t n = groups_.n;
    const bool sorts = by != GroupBy::kNone;
    Slot* slots = AllocScratch<Slot>(dev_ctx, sorts ? 2 * n : n, &slots_);
    groups_.slots = Slots(slots);
    uint32_t* positions = nullptr;
    if (sorts) {
      positions =
          AllocScratch<uint32_t>(dev_ctx, 2 * n + groups_.count, &positions_);
    }
    const auto read = [&](const auto* data) {
      using IndexT = std::decay_t<decltype(*data)>;
      ForEach(dev_ctx,
              n,
              ReadSlots<IndexT, Slot>{op, data, size, slots, positions});
    };
    if (index.dtype() == DataType::INT32) {
      read(index.data<int32_t>());
    } else {
      read(index.data<int64_t>());
    }
    if (sorts) Sort(dev_ctx, size, slots, positions);
  }

  // Equal slots keep the order of their positions.
  template <typename Slot>
  void Sort(const GPUContext& dev_ctx,
            int64_t size,
            Slot* slots,
            uint32_t* positions) {
    const int64_t n = groups_.n;
    Slot* keys = slots + n;
    uint32_t* order = positions + n;
    uint32_t* ends = order + n;
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
    groups_.keys = Slots(keys);
    groups_.order = order;
    groups_.ends = ends;
    ForEach(
        dev_ctx, groups_.count, FindEnds<Slot>{keys, n, groups_.by_slot, ends});
  }

  template <typename Slot>
  static SlotArray Slots(const Slot* data) {
    return {data, sizeof(Slot) == sizeof(uint64_t)};
  }

  DenseTensor slots_;
  DenseTensor positions_;
  SlotGroups groups_{};
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
