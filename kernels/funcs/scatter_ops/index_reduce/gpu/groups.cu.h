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

#include <algorithm>
#include <cstdint>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/call.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/sort.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// An array of slots or positions, stored in 32 bits if all of them fit.
struct IdArray {
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
//   of
//     a slot if sorted entry i is the first of that slot, and is empty for the
//     other entries. That is less work for an index much shorter than the axis.
struct SlotGroups {
  int64_t n;
  int64_t count;
  bool by_slot;
  IdArray slots;  // of each position
  IdArray keys;   // sorted slots
  IdArray order;  // sorted positions
  IdArray ends;   // of each group

  __device__ SlotGroup operator[](int64_t i) const {
    if (!by_slot) return {keys[i], i, ends[i]};
    return {i, i == 0 ? 0 : ends[i - 1], ends[i]};
  }

  // True if all of the sorted entries [first, last] point to one slot.
  __device__ bool SameSlot(int64_t first, int64_t last) const {
    return keys[first] == keys[last];
  }
};

// Checks the whole index, and adds `size` to negative slots. It is a launch of
// its own, so that a bad index stops the work before any output is written.
template <typename IndexT, typename Id>
__global__ void __launch_bounds__(kGpuThreads) ReadSlotsGpuKernel(
    IndexOp op, const IndexT* index, int64_t n, int64_t size, Id* slots) {
  for (int64_t i = GlobalThread(); i < n; i += GridThreads()) {
    const int64_t slot = index[i];
    SCATTER_OPS_DEVICE_CHECK(slot >= -size && slot < size,
                             "(OutOfRange) " SCATTER_OPS_BAD_INDEX "\n",
                             NameOf(op),
                             static_cast<long long>(-size),
                             static_cast<long long>(size),
                             static_cast<long long>(size),
                             static_cast<long long>(i),
                             static_cast<long long>(slot));
    slots[i] = static_cast<Id>(slot < 0 ? slot + size : slot);
  }
}

// The first one of the sorted keys [low, high) that is above `slot`.
template <typename Id>
__device__ inline int64_t FirstAbove(const Id* keys,
                                     int64_t low,
                                     int64_t high,
                                     int64_t slot) {
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (static_cast<int64_t>(keys[middle]) > slot) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Where the group of each slot ends. The slots of a block are neighbours, so
// that most of the search is done once for all of them.
template <typename Id>
__global__ void __launch_bounds__(kGpuThreads)
    EndSlotsGpuKernel(const Id* keys, int64_t n, int64_t size, Id* ends) {
  __shared__ int64_t range[2];
  const int64_t step = static_cast<int64_t>(gridDim.x) * kGpuThreads;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kGpuThreads;
       first < size;
       first += step) {
    if (threadIdx.x < 2) {
      range[threadIdx.x] = FirstAbove(
          keys, 0, n, threadIdx.x == 0 ? first - 1 : first + kGpuThreads - 1);
    }
    __syncthreads();
    const int64_t slot = first + threadIdx.x;
    if (slot < size) {
      ends[slot] = static_cast<Id>(FirstAbove(keys, range[0], range[1], slot));
    }
    __syncthreads();
  }
}

// Where the group of each sorted entry ends.
template <typename Id>
__global__ void __launch_bounds__(kGpuThreads)
    EndEntriesGpuKernel(const Id* keys, int64_t n, Id* ends) {
  for (int64_t i = GlobalThread(); i < n; i += GridThreads()) {
    const Id key = keys[i];
    const bool first = i == 0 || keys[i - 1] != key;
    const int64_t slot = static_cast<int64_t>(key);
    ends[i] = static_cast<Id>(first ? FirstAbove(keys, i, n, slot) : i);
  }
}

// How the groups of an index are to be numbered.
enum class GroupBy { kNone, kSlot, kEntry };

// Owns the memory that SlotGroups points to. It must live until the last launch
// that uses the groups is queued, and no longer: the allocator reuses memory in
// the order of the stream.
template <typename Context>
class IndexOnGpu {
 public:
  // Queues the check of the whole index, and what `by` asks for.
  IndexOnGpu(const Context& dev_ctx,
             IndexOp op,
             const DenseTensor& index,
             int64_t size,
             GroupBy by)
      : dev_ctx_(dev_ctx), op_(op), size_(size) {
    groups_.n = index.numel();
    if (index.numel() == 0) return;
    if (std::max(size, index.numel()) > UINT32_MAX) {
      Read<uint64_t>(index, by);
    } else {
      Read<uint32_t>(index, by);
    }
  }

  const SlotGroups& groups() const { return groups_; }

 private:
  template <typename Id>
  void Read(const DenseTensor& index, GroupBy by) {
    const int64_t n = index.numel();
    const bool sorts = by != GroupBy::kNone;
    const int64_t entries = sorts ? 5 * n + SortCounts(n) + kDigits : n;
    groups_.by_slot = by == GroupBy::kSlot;
    groups_.count = groups_.by_slot ? size_ : n;
    Id* slots = Alloc<Id>(entries + (sorts ? groups_.count : 0));
    groups_.slots = Ids(slots);
    const unsigned grid = GridSize(n, dev_ctx_.GetSMCount());
    const GpuStream stream = dev_ctx_.stream();
    if (index.dtype() == DataType::INT32) {
      ReadSlotsGpuKernel<int32_t, Id><<<grid, kGpuThreads, 0, stream>>>(
          op_, index.data<int32_t>(), n, size_, slots);
    } else {
      ReadSlotsGpuKernel<int64_t, Id><<<grid, kGpuThreads, 0, stream>>>(
          op_, index.data<int64_t>(), n, size_, slots);
    }
    if (sorts) Sort<Id>(slots, slots + entries);
  }

  template <typename Id>
  void Sort(Id* slots, Id* ends) {
    const int64_t n = groups_.n;
    Id* counts = slots + 5 * n;
    const SortPlan<Id> plan{{{slots, nullptr},
                             {slots + n, slots + 2 * n},
                             n,
                             SortTiles(n),
                             /*shift=*/0,
                             counts,
                             counts + SortCounts(n)},
                            {slots + 3 * n, slots + 4 * n},
                            SortPasses(size_)};
    SortGpu(plan, dev_ctx_.stream());

    const SortItems<Id> sorted = plan.sorted();
    groups_.keys = Ids(sorted.keys);
    groups_.order = Ids(sorted.origins);
    groups_.ends = Ids(ends);
    const unsigned grid = GridSize(groups_.count, dev_ctx_.GetSMCount());
    const GpuStream stream = dev_ctx_.stream();
    if (groups_.by_slot) {
      EndSlotsGpuKernel<Id>
          <<<grid, kGpuThreads, 0, stream>>>(sorted.keys, n, size_, ends);
    } else {
      EndEntriesGpuKernel<Id>
          <<<grid, kGpuThreads, 0, stream>>>(sorted.keys, n, ends);
    }
  }

  template <typename Id>
  Id* Alloc(int64_t count) {
    memory_.Resize(
        common::make_ddim({count * static_cast<int64_t>(sizeof(Id))}));
    return reinterpret_cast<Id*>(dev_ctx_.template Alloc<uint8_t>(&memory_));
  }

  template <typename Id>
  static IdArray Ids(const Id* data) {
    return {data, sizeof(Id) == sizeof(uint64_t)};
  }

  const Context& dev_ctx_;
  IndexOp op_;
  int64_t size_;
  DenseTensor memory_;
  SlotGroups groups_{};
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
