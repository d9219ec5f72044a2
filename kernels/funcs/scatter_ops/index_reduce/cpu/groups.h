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

// The positions of an index grouped by slot, and loops over the groups in
// parallel.

#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

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
  // Prefetch distance: about as many index entries as are processed while a
  // cache line arrives. At the end of the order, the entry itself.
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
      const int64_t updates = o * view.length * view.inner;
      for (int64_t g = t.begin; g < t.end; ++g) {
        const int64_t slot = groups.dest[g];
        if (copies) copy(o, g == 0 ? 0 : groups.dest[g - 1] + 1, slot);
        const int64_t x = (o * view.size + slot) * view.inner;
        for (int64_t l = t.inner_begin; l < t.inner_end; l += kMostLanes) {
          const int64_t n = std::min(kMostLanes, t.inner_end - l);
          f(g, x + l, updates + l, n);
        }
      }
      if (copies && t.begin < t.end && t.end == groups.count()) {
        copy(o, groups.dest.back() + 1, view.size);
      }
    }
  });
}

}  // namespace phi::funcs::scatter_ops
