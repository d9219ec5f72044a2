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

// The positions of an index, grouped by the slot that they point to.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Group g holds positions order[start[g]] ... order[start[g + 1] - 1] of the
// index, ascending, which all point to slot dest[g]. Slots ascend, and slots
// that nothing points to have no group.
struct IndexGroups {
  std::vector<int64_t> dest;
  std::vector<int64_t> start;
  std::vector<int64_t> order;
  int64_t length;  // of the index, of which order may leave some out

  int64_t count() const { return static_cast<int64_t>(dest.size()); }
  int64_t positions() const { return length; }
  int64_t size(int64_t g) const { return start[g + 1] - start[g]; }
  const int64_t* begin(int64_t g) const { return order.data() + start[g]; }
  const int64_t* end(int64_t g) const { return order.data() + start[g + 1]; }

  // What a walk over the groups comes to in about the time that memory takes to
  // deliver it; at the end, what it is at.
  static constexpr int64_t kAhead = 8;
  const int64_t* Ahead(const int64_t* position) const {
    const int64_t* end = order.data() + order.size();
    return end - position > kAhead ? position + kAhead : position;
  }
  int64_t SlotAhead(int64_t g) const {
    return dest[g + kAhead < count() ? g + kAhead : g];
  }

  // f(position) for the groups [group_begin, group_end).
  template <typename F>
  void ForEachPosition(int64_t group_begin,
                       int64_t group_end,
                       const F& f) const {
    if (group_begin == 0 && group_end == count()) {
      for (int64_t p = 0; p < positions(); ++p) f(p);  // in memory order
      return;
    }
    for (int64_t i = start[group_begin]; i < start[group_end]; ++i) f(order[i]);
  }
};

// Counting sort: for an index that is not much shorter than `size`.
inline void CountGroups(const IndexSlots& slots,
                        int64_t size,
                        IndexGroups* groups) {
  std::vector<int64_t> next(size, 0);
  slots.ForEach([&](int64_t, int64_t slot) { ++next[slot]; });
  const int64_t touched =
      size - std::count(next.begin(), next.end(), int64_t{0});
  groups->dest.reserve(touched);
  groups->start.reserve(touched + 1);
  int64_t sum = 0;
  for (int64_t slot = 0; slot < size; ++slot) {
    const int64_t count = next[slot];
    next[slot] = sum;
    if (count == 0) continue;
    groups->dest.push_back(slot);
    groups->start.push_back(sum);
    sum += count;
  }
  groups->start.push_back(sum);
  slots.ForEach([&](int64_t position, int64_t slot) {
    groups->order[next[slot]++] = position;
  });
}

// Sorting by comparison: for a few positions among very many slots.
inline void SortGroups(const IndexSlots& index, IndexGroups* groups) {
  auto& order = groups->order;
  const int64_t n = index.length();
  std::vector<int64_t> slots(n);
  index.ForEach([&](int64_t position, int64_t slot) {
    slots[position] = slot;
    order[position] = position;
  });
  std::sort(order.begin(), order.end(), [&slots](int64_t a, int64_t b) {
    return slots[a] != slots[b] ? slots[a] < slots[b] : a < b;
  });
  for (int64_t i = 0; i < n; ++i) {
    const int64_t slot = slots[order[i]];
    if (!groups->dest.empty() && groups->dest.back() == slot) continue;
    groups->dest.push_back(slot);
    groups->start.push_back(i);
  }
  groups->start.push_back(n);
}

// True if visiting each slot costs more than sorting the positions.
inline bool HasFewPositions(int64_t positions, int64_t size) {
  constexpr int64_t kSortWork = 64;  // slots visited in the time of a position
  return size / kSortWork > positions;
}

inline IndexGroups GroupSlots(const IndexSlots& slots, int64_t size) {
  IndexGroups groups;
  groups.length = slots.length();
  groups.order.resize(slots.length());
  if (HasFewPositions(groups.length, size)) {
    SortGroups(slots, &groups);
  } else {
    CountGroups(slots, size, &groups);
  }
  return groups;
}

// The same with the last position of each group alone.
inline IndexGroups GroupLastOfSlots(const IndexSlots& slots, int64_t size) {
  const int64_t n = slots.length();
  if (HasFewPositions(n, size)) return GroupSlots(slots, size);
  std::vector<int64_t> last(size, -1);
  slots.ForEach([&](int64_t position, int64_t slot) { last[slot] = position; });
  IndexGroups groups;
  groups.length = n;
  for (int64_t slot = 0; slot < size; ++slot) {
    if (last[slot] < 0) continue;
    groups.start.push_back(groups.count());
    groups.dest.push_back(slot);
    groups.order.push_back(last[slot]);
  }
  groups.start.push_back(groups.count());
  return groups;
}

// Checks the whole index, then groups it.
inline IndexGroups GroupIndex(const char* op,
                              const DenseTensor& index,
                              int64_t size) {
  return GroupSlots(ReadSlots(op, index, size), size);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
