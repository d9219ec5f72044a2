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

// The index of an operator that reduces slices by it: checked, read as slots,
// and grouped by slot; the work that the groups are, cut into tasks.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// memcpy by all threads.
inline void ParallelCopy(void* out, const void* in, int64_t bytes) {
  if (out == in || bytes == 0) return;
  auto* to = static_cast<char*>(out);
  const auto* from = static_cast<const char*>(in);
  const Tiles tiles(bytes, 1);
  const Stores kind = StoresFor(bytes);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    const int64_t end = tiles.end(i);
    TileStores(kind).Copy(to + begin, from + begin, end - begin);
  });
}

// To GCC a function that only prefetches has no effect, so that it drops calls
// which it has not put in line yet: the empty statement is one.
inline void Prefetch(const void* line) {
#ifdef __GNUC__
  __builtin_prefetch(line);
  asm volatile("");
#endif
}

// Fetches the start of a row, of which many are read in no order. The processor
// foresees the rest of a long one by itself, and all of one that fills a page.
template <typename T>
inline void PrefetchRow(const T* row, int64_t length) {
  constexpr int64_t kLine = 64;
  const int64_t bytes = length * static_cast<int64_t>(sizeof(T));
  if (bytes >= 4096) return;
  const auto* first = reinterpret_cast<const char*>(row);
  const int64_t end = bytes <= 1024 ? bytes : 256;
  for (int64_t b = 0; b < end; b += kLine) Prefetch(first + b);
}

// The slots that an index names, read where it lies: a copy of a long index
// would cost more than adding short rows. Its values must be in [-size, size);
// negative ones count from the end. What is read is checked, unless all of it
// has been, after which it must stay as it is.
class IndexSlots {
 public:
  // Positions that are read at a time: so many that to check them, which
  // brings them near the core, is done before their slots are waited for.
  static constexpr int64_t kChunk = 4096;

  // An x without elements has nothing to update: the index is ignored.
  IndexSlots(const char* op, const DenseTensor& index, const AxisView& view)
      : op_(op),
        length_(view.numel() == 0 ? 0 : index.numel()),
        size_(view.size) {
    if (index.dtype() == DataType::INT32) {
      int32_ = DataOrNull<int32_t>(index);
    } else {
      int64_ = DataOrNull<int64_t>(index);
    }
  }

  int64_t length() const { return length_; }

  // Checks all of it: before anything is written to x, which a bad index leaves
  // as it was, or where its parts are read more than once.
  void Check() {
    std::atomic<bool> negative{false};
    const Tiles tiles(length_, sizeof(int64_t));
    ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
      const int64_t count = tiles.end(i) - tiles.begin(i);
      if (HasNegative(tiles.begin(i), count)) negative = true;
    });
    checked_ = true;
    has_negative_ = negative;
  }

  // The slots of `count` positions from `begin` on, kChunk or fewer. They are
  // put into `buffer` unless the index holds them as they are.
  const int64_t* Read(int64_t begin, int64_t count, int64_t* buffer) const {
    const bool negative = checked_ ? has_negative_ : HasNegative(begin, count);
    if (int64_ && !negative) return int64_ + begin;
    VisitIndex([&](const auto* index) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t value = index[begin + i];
        buffer[i] = value + (value < 0 ? size_ : 0);
      }
    });
    return buffer;
  }

  // f(first position, slots, count) for all positions, `chunk` at a time.
  template <typename F>
  void ForEachChunk(const F& f, int64_t chunk = kChunk) const {
    int64_t buffer[kChunk];
    for (int64_t at = 0; at < length_; at += chunk) {
      const int64_t count = std::min(chunk, length_ - at);
      f(at, Read(at, count, buffer), count);
    }
  }

  // f(position, slot) for all positions.
  template <typename F>
  void ForEach(const F& f) const {
    ForEachChunk([&f](int64_t at, const int64_t* slots, int64_t count) {
      for (int64_t i = 0; i < count; ++i) f(at + i, slots[i]);
    });
  }

 private:
  template <typename F>
  void VisitIndex(const F& f) const {
    int64_ ? f(int64_) : f(int32_);
  }

  // Throws for a value outside [-size, size). Not in line: too many call it.
  SCATTER_OPS_NOINLINE bool HasNegative(int64_t begin, int64_t count) const {
    // Without a branch, so that the loop becomes vector instructions: the sign
    // of slot + size tells of one below, that of size - 1 - slot of one above.
    uint64_t signs = 0;
    uint64_t any = 0;
    VisitIndex([&, slots = static_cast<uint64_t>(size_)](const auto* index) {
      for (int64_t i = begin; i < begin + count; ++i) {
        const uint64_t slot = static_cast<int64_t>(index[i]);
        signs |= (slot + slots) | (slots - 1 - slot);
        any |= slot;
      }
    });
    if (static_cast<int64_t>(signs) < 0) ThrowFirstOutside();
    return static_cast<int64_t>(any) < 0;
  }

  [[noreturn]] void ThrowFirstOutside() const {
    int64_t at = 0;
    int64_t slot = 0;
    VisitIndex([&](const auto* index) {
      while (index[at] >= -size_ && index[at] < size_) ++at;
      slot = index[at];
    });
    PADDLE_THROW(common::errors::OutOfRange(
        "(%s) index must be in [%d, %d), as x has %d elements along axis, but "
        "index[%d] is %d.",
        op_,
        -size_,
        size_,
        size_,
        at,
        slot));
  }

  const char* op_;
  const int64_t* int64_ = nullptr;
  const int32_t* int32_ = nullptr;
  int64_t length_;
  int64_t size_;
  bool checked_ = false;
  bool has_negative_ = false;
};

// What a reduction reads and writes. x and updates may be null if they have no
// elements; out may be x.
template <typename T>
struct ReduceOperands {
  const AxisView& view;
  const IndexSlots& slots;
  bool include_self;
  const T* x;
  const T* updates;
  T* out;
};

// Group g holds positions order[start[g]] ... order[start[g + 1] - 1] of the
// index, ascending, which all point to slot dest[g]. Slots ascend, and slots
// that nothing points to have no group.
struct IndexGroups {
  std::vector<int64_t> dest;
  std::vector<int64_t> start;
  std::vector<int64_t> order;

  int64_t count() const { return static_cast<int64_t>(dest.size()); }
  int64_t positions() const { return static_cast<int64_t>(order.size()); }
  int64_t size(int64_t g) const { return start[g + 1] - start[g]; }
  const int64_t* begin(int64_t g) const { return order.data() + start[g]; }
  const int64_t* end(int64_t g) const { return order.data() + start[g + 1]; }
  // What a walk over the groups comes to in about the time that memory takes to
  // deliver it; at the end, what it is at.
  static constexpr int64_t kAhead = 8;
  const int64_t* Ahead(const int64_t* position) const {
    const int64_t* last = order.data() + order.size();
    return last - position > kAhead ? position + kAhead : position;
  }
  int64_t SlotAhead(int64_t g) const {
    return dest[std::min(g + kAhead, count() - 1)];
  }
  // The first group of the slots from `slot` on.
  int64_t From(int64_t slot) const {
    return std::lower_bound(dest.begin(), dest.end(), slot) - dest.begin();
  }
};

// Counting sort: for an index that is not much shorter than `size`.
inline void CountGroups(const IndexSlots& slots,
                        int64_t size,
                        IndexGroups* groups) {
  std::vector<int64_t> next(size, 0);
  slots.ForEach([&](int64_t, int64_t slot) { ++next[slot]; });
  int64_t sum = 0;
  for (int64_t slot = 0; slot < size; ++slot) {
    const int64_t count = next[slot];
    next[slot] = sum;
    if (count == 0) continue;
    groups->dest.push_back(slot);
    groups->start.push_back(sum);
    sum += count;
  }
  groups->order.resize(sum);
  slots.ForEach([&](int64_t position, int64_t slot) {
    groups->order[next[slot]++] = position;
  });
}

// Sorting by comparison: for a few positions among very many slots.
inline void SortGroups(const IndexSlots& slots, IndexGroups* groups) {
  std::vector<std::pair<int64_t, int64_t>> sorted;
  sorted.reserve(slots.length());
  slots.ForEach([&](int64_t position, int64_t slot) {
    sorted.emplace_back(slot, position);
  });
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [slot, position] : sorted) {
    if (groups->dest.empty() || groups->dest.back() != slot) {
      groups->dest.push_back(slot);
      groups->start.push_back(groups->positions());
    }
    groups->order.push_back(position);
  }
}

// True if visiting each slot costs more than sorting the positions.
inline bool HasFewPositions(int64_t positions, int64_t size) {
  constexpr int64_t kSortWork = 64;  // slots visited in the time of a position
  return size / kSortWork > positions;
}

inline IndexGroups GroupSlots(const IndexSlots& slots, int64_t size) {
  IndexGroups groups;
  if (HasFewPositions(slots.length(), size)) {
    SortGroups(slots, &groups);
  } else {
    CountGroups(slots, size, &groups);
  }
  groups.start.push_back(groups.positions());
  return groups;
}

// The same with the last position of each group alone.
inline IndexGroups GroupLastOfSlots(const IndexSlots& slots, int64_t size) {
  if (HasFewPositions(slots.length(), size)) return GroupSlots(slots, size);
  std::vector<int64_t> last(size, -1);
  slots.ForEach([&](int64_t position, int64_t slot) { last[slot] = position; });
  IndexGroups groups;
  for (int64_t slot = 0; slot < size; ++slot) {
    if (last[slot] < 0) continue;
    groups.start.push_back(groups.count());
    groups.dest.push_back(slot);
    groups.order.push_back(last[slot]);
  }
  groups.start.push_back(groups.count());
  return groups;
}

// A box of x: rows [outer_begin, outer_end), slots [slot_begin, slot_end),
// lanes [inner_begin, inner_end).
struct GroupTask {
  int64_t outer_begin, outer_end;
  int64_t slot_begin, slot_end;
  int64_t inner_begin, inner_end;
};

// Cuts x into boxes of about the same work, whatever the index looks like.
class GroupTasks {
 public:
  GroupTasks(const AxisView& view,
             const IndexGroups& groups,
             int64_t item_bytes,
             bool copies_rest)
      : view_(view), groups_(groups), slot_work_(copies_rest ? 2 : 0) {
    const int64_t row = WorkBefore(view.size);
    bytes_ = row * view.outer * view.inner * item_bytes;
    const int64_t wanted = std::min<int64_t>(bytes_ / kTaskBytes + 1,
                                             NumThreads() * kTasksOfThread);
    outer_step_ = std::max<int64_t>(1, view.outer / wanted);
    outer_count_ = (view.outer + outer_step_ - 1) / outer_step_;
    CutSlots(row, std::max<int64_t>(1, wanted / outer_count_));
    CutInner(row, wanted);
  }

  int64_t bytes() const { return bytes_; }
  int64_t count() const { return outer_count_ * range_count() * inner_count_; }

  GroupTask get(int64_t i) const {
    const int64_t inner = i % inner_count_;
    const int64_t range = i / inner_count_ % range_count();
    const int64_t outer = i / inner_count_ / range_count();
    return {outer * outer_step_,
            std::min(view_.outer, (outer + 1) * outer_step_),
            slot_cuts_[range],
            slot_cuts_[range + 1],
            view_.inner * inner / inner_count_,
            view_.inner * (inner + 1) / inner_count_};
  }

 private:
  static constexpr int64_t kTaskBytes = 256 << 10;
  static constexpr int64_t kTasksOfThread = 8;
  static constexpr int64_t kLeastInner = 64;

  // Rows that are read or written for the slots before this one.
  int64_t WorkBefore(int64_t slot) const {
    const int64_t g = groups_.From(slot);
    return groups_.start[g] + g + slot_work_ * slot;
  }

  int64_t range_count() const {
    return static_cast<int64_t>(slot_cuts_.size()) - 1;
  }

  void CutSlots(int64_t row, int64_t ranges) {
    slot_cuts_ = {0};
    for (int64_t r = 1; r < ranges; ++r) {
      int64_t low = slot_cuts_.back();
      for (int64_t high = view_.size; low < high;) {
        const int64_t middle = low + (high - low) / 2;
        if (WorkBefore(middle) < row * r / ranges) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      slot_cuts_.push_back(low);
    }
    slot_cuts_.push_back(view_.size);
  }

  // Cuts the lanes of a slot, for when very many positions point to one slot:
  // that work cannot be shared by cutting between slots.
  void CutInner(int64_t row, int64_t wanted) {
    int64_t most = 0;
    for (int64_t r = 0; r < range_count(); ++r) {
      most = std::max(
          most, WorkBefore(slot_cuts_[r + 1]) - WorkBefore(slot_cuts_[r]));
    }
    const int64_t tasks = std::max<int64_t>(1, outer_count_ * range_count());
    const int64_t all = std::max<int64_t>(1, row * outer_count_);
    // Few cuts, since each makes the rows shorter that are copied and read.
    const int64_t needed = std::max(wanted / tasks, most * wanted / 2 / all);
    inner_count_ =
        std::max<int64_t>(1, std::min(needed, view_.inner / kLeastInner));
  }

  const AxisView& view_;
  const IndexGroups& groups_;
  int64_t slot_work_;
  int64_t bytes_ = 0;
  int64_t outer_step_ = 1;
  int64_t outer_count_ = 1;
  int64_t inner_count_ = 1;
  std::vector<int64_t> slot_cuts_;
};

}  // namespace phi::funcs::scatter_ops
