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
  const bool streams = UseNonTemporalStores(bytes, /*in_place=*/false);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    StreamCopy(to + begin, from + begin, tiles.end(i) - begin, streams);
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
// negative ones count from the end. All of it is checked at first, before
// anything is written to x; after that it must stay as it is.
class IndexSlots {
 public:
  static constexpr int64_t kChunk = 4096;  // positions that are read at a time

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
    std::atomic<bool> negative{false};
    const Tiles tiles(length_, sizeof(int64_t));
    ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
      if (HasNegative(tiles.begin(i), tiles.end(i))) negative = true;
    });
    has_negative_ = negative;
  }

  int64_t length() const { return length_; }

  // The slots of `count` positions from `begin` on, kChunk or fewer. They are
  // put into `buffer` unless the index holds them as they are.
  const int64_t* Read(int64_t begin, int64_t count, int64_t* buffer) const {
    if (int64_ && !has_negative_) return int64_ + begin;
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

  // Throws for a value outside [-size, size).
  bool HasNegative(int64_t begin, int64_t end) const {
    // Without a branch, so that the loop becomes vector instructions: the sign
    // of slot + size tells of one below, that of size - 1 - slot of one above.
    uint64_t signs = 0;
    uint64_t any = 0;
    VisitIndex([&, slots = static_cast<uint64_t>(size_)](const auto* index) {
      for (int64_t i = begin; i < end; ++i) {
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
  bool has_negative_ = false;
};

// What a reduction reads and writes. out may be x; updates may be null if it
// has no elements.
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

// Lanes of a slot that are processed at a time: what is kept of them fits into
// the L1 cache.
constexpr int64_t kMostLanes = 2048;

// Work on groups: rows [outer_begin, outer_end), groups [begin, end), lanes
// [inner_begin, inner_end).
struct GroupTask {
  int64_t outer_begin, outer_end;
  int64_t begin, end;
  int64_t inner_begin, inner_end;
};

// Cuts the groups into tasks of about the same work, whatever the index looks
// like.
class GroupTasks {
 public:
  GroupTasks(const AxisView& view,
             const IndexGroups& groups,
             int64_t item_bytes)
      : view_(view), groups_(groups) {
    // Rows that are read or written.
    const int64_t rows = groups.positions() + groups.count();
    bytes_ = rows * view.outer * view.inner * item_bytes;
    const int64_t wanted = std::min<int64_t>(bytes_ / kTaskBytes + 1,
                                             NumThreads() * kTasksOfThread);
    outer_step_ = std::max<int64_t>(1, view.outer / wanted);
    outer_count_ = (view.outer + outer_step_ - 1) / outer_step_;
    CutGroups(std::max<int64_t>(1, wanted / outer_count_));
    CutInner(wanted);
  }

  int64_t bytes() const { return bytes_; }
  int64_t count() const { return outer_count_ * range_count() * inner_count_; }

  GroupTask get(int64_t i) const {
    const int64_t inner = i % inner_count_;
    const int64_t range = i / inner_count_ % range_count();
    const int64_t outer = i / inner_count_ / range_count();
    return {outer * outer_step_,
            std::min(view_.outer, (outer + 1) * outer_step_),
            cuts_[range],
            cuts_[range + 1],
            view_.inner * inner / inner_count_,
            view_.inner * (inner + 1) / inner_count_};
  }

 private:
  static constexpr int64_t kTaskBytes = 256 << 10;
  static constexpr int64_t kTasksOfThread = 8;
  static constexpr int64_t kLeastInner = 64;

  int64_t range_count() const { return static_cast<int64_t>(cuts_.size()) - 1; }

  void CutGroups(int64_t ranges) {
    const auto& start = groups_.start;
    cuts_ = {0};
    for (int64_t r = 1; r < ranges; ++r) {
      const int64_t position = groups_.positions() * r / ranges;
      const auto from = start.begin() + cuts_.back();
      cuts_.push_back(std::lower_bound(from, start.end(), position) -
                      start.begin());
    }
    cuts_.push_back(groups_.count());
  }

  // Cuts the lanes of a slot, for when very many positions point to one slot:
  // that work cannot be shared by cutting between slots.
  void CutInner(int64_t wanted) {
    int64_t most = 0;
    for (int64_t r = 0; r < range_count(); ++r) {
      most =
          std::max(most, groups_.start[cuts_[r + 1]] - groups_.start[cuts_[r]]);
    }
    const int64_t tasks = std::max<int64_t>(1, outer_count_ * range_count());
    const int64_t all =
        std::max<int64_t>(1, groups_.positions() * outer_count_);
    // Few cuts, since each makes the rows shorter that are read and written.
    const int64_t needed = std::max(wanted / tasks, most * wanted / 2 / all);
    inner_count_ =
        std::max<int64_t>(1, std::min(needed, view_.inner / kLeastInner));
  }

  const AxisView& view_;
  const IndexGroups& groups_;
  int64_t bytes_ = 0;
  int64_t outer_step_ = 1;
  int64_t outer_count_ = 1;
  int64_t inner_count_ = 1;
  std::vector<int64_t> cuts_;
};

// Copies the slots without a group from `from` to `to`, which may be the same
// or both null, and calls f(g, x_offset, updates_offset, n) for n lanes,
// kMostLanes or fewer, of each group g, in parallel. They start at x_offset,
// and those of position p in updates at updates_offset + p * view.inner.
template <typename T, typename F>
void ForEachGroup(const AxisView& view,
                  const IndexGroups& groups,
                  const T* from,
                  T* to,
                  const F& f) {
  const int64_t bytes = view.numel() * static_cast<int64_t>(sizeof(T));
  // Where most slots have a group, the others are copied beside them.
  const bool copies = from != to && groups.count() > view.size / 2;
  if (from != to && !copies) ParallelCopy(to, from, bytes);
  if (groups.count() == 0) return;
  const bool streams = UseNonTemporalStores(bytes, !copies);
  const GroupTasks tasks(view, groups, sizeof(T));
  ParallelFor(tasks.count(), tasks.bytes(), [&](int64_t i) {
    const GroupTask t = tasks.get(i);
    const int64_t width = t.inner_end - t.inner_begin;
    const auto copy = [&](int64_t o, int64_t slot, int64_t end) {
      // Whole slots are neighbours.
      const int64_t step = width == view.inner ? end - slot : 1;
      for (; slot < end; slot += step) {
        const int64_t at = (o * view.size + slot) * view.inner + t.inner_begin;
        StreamCopy(to + at, from + at, step * width * sizeof(T), streams);
      }
    };
    for (int64_t o = t.outer_begin; o < t.outer_end; ++o) {
      const int64_t updates = o * view.updates_size * view.inner;
      for (int64_t g = t.begin; g < t.end; ++g) {
        const int64_t slot = groups.dest[g];
        if (copies) copy(o, g == 0 ? 0 : groups.dest[g - 1] + 1, slot);
        const int64_t x = (o * view.size + slot) * view.inner;
        for (int64_t l = t.inner_begin; l < t.inner_end; l += kMostLanes) {
          const int64_t n = std::min(kMostLanes, t.inner_end - l);
          f(g, x + l, updates + l, n);
        }
      }
      if (copies && t.end == groups.count()) {
        copy(o, groups.dest.back() + 1, view.size);
      }
    }
  });
}

}  // namespace phi::funcs::scatter_ops
