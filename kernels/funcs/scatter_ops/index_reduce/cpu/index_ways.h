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

// In which way the CPU kernels reduce rows by an index. The bits are the same
// in each.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/slot_lists.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

enum class IndexWay {
  // By short_rows.h. Updates are read as they lie in memory, each once, and
  // reduced into the row of their slot: in out, or in a panel of a wider type
  // that is rounded into out at the end.
  kRows,
  kPanels,
  // By group_walk.h. The index is sorted, each slot is written once.
  kGroups,
};

// What the choice depends on.
struct IndexWork {
  const AxisView& view;
  int64_t positions;
  int64_t item;      // bytes of an element
  int64_t sum_item;  // bytes of what it is reduced in
  bool panels;       // what it is reduced in is no T
  bool assigns;
  bool means;
  bool include_self;
  bool in_place;

  int64_t row_bytes() const { return view.inner * item; }
  // In place, slots without an update stay as they are.
  bool visits_all() const { return !in_place || panels || means; }
  // Of the rows that are copied or reduced.
  int64_t bytes() const {
    const int64_t slots = visits_all() ? view.size : 0;
    return view.outer * (slots + positions) * row_bytes();
  }
  // In the measure of kParallelBytes: whole lines are copied several times as
  // fast as they are reduced.
  int64_t cost() const {
    return assigns && row_bytes() > kLineBytes ? bytes() / 4 : bytes();
  }
  // Whether kRows and kPanels note for each slot what points to it. For very
  // short rows it is cheaper to visit the slots twice.
  bool marks() const {
    if (assigns) return false;
    if (means || panels) return true;
    return !include_self && (view.outer > 1 || row_bytes() > kLineBytes);
  }

  static constexpr int64_t kLineBytes = 64;
};

// Of slots in so many bytes one thread adds an element to each of many sooner
// than several, which find theirs by a pass over all of the index each.
constexpr int64_t kOneThreadBytes = 1 << 20;

// How many threads reduce rows the soonest. Those of one element one thread
// does, if they lie in no more than `near` bytes.
inline int64_t RowThreads(const IndexWork& work, int64_t near) {
  if (work.cost() < kParallelBytes) return 1;
  const AxisView& view = work.view;
  const bool one_by_one = view.outer == 1 && view.inner == 1;
  const bool many = work.positions >= 2 * view.size;
  const bool is_near = view.size * work.item <= near;
  return one_by_one && many && is_near ? 1 : NumThreads();
}

struct IndexPlan {
  IndexWay way;
  int64_t ranges;  // of slots, each of which takes a pass over the index
};

// The longest row that is not grouped. Grouping costs some 10 ns a position,
// which matters less the more rows of x share it; a slot is then written once.
inline int64_t LongestShortRow(const IndexWork& work) {
  // Up to about this many bytes, rows in random order are read nearly as fast
  // as in order.
  constexpr int64_t kPage = 4096;
  if (work.assigns) {
    if (work.bytes() < kParallelBytes) return INT64_MAX;
    if (work.view.outer > 1) return IndexWork::kLineBytes;
    // Groups read the last update of each slot alone, and write each slot once.
    // That saves nearly nothing where few of many slots are written, and the
    // others stay as they are ...
    const int64_t size = work.view.size;
    if (work.in_place && work.positions <= size / 4) return kPage;
    // ... and less than grouping costs where the caches have room for all of
    // it, and few updates are replaced by others.
    constexpr int64_t kCaches = 32 << 20;
    if (work.bytes() > kCaches || work.positions > 2 * size) {
      return IndexWork::kLineBytes;
    }
    return work.in_place || work.positions <= size / 2 ? 1024 : 512;
  }
  if (work.panels || work.view.outer > 1) return 256;
  // Groups write a slot of several rows once, and in a copy also the slots in
  // between.
  const bool few = work.positions <= work.view.size;
  return work.in_place && few ? kPage : 1024;
}

// Passes over the index take half a nanosecond a position. Those for all rows
// of x are shared by the threads; grouping is not, but done once for all rows.
inline IndexPlan ChooseIndexWay(const IndexWork& work) {
  // About the L2 cache of one core.
  constexpr int64_t kPanelBytes = 2 << 20;
  const IndexPlan groups{IndexWay::kGroups, 1};
  if (work.row_bytes() > LongestShortRow(work)) return groups;
  if (work.marks() && HasFewPositions(work.positions, work.view.size)) {
    return groups;
  }
  // Means also count and divide: work for all threads.
  const int64_t near = work.means ? 0 : kOneThreadBytes;
  const int64_t threads = RowThreads(work, near);
  const int64_t outer = std::max<int64_t>(1, work.view.outer);
  const bool even = outer >= 4 * threads || outer % threads == 0;
  const int64_t ranges = even ? 1 : std::min(work.view.size, threads);
  if (!work.panels) return {IndexWay::kRows, ranges};
  const int64_t panel = work.view.size * work.view.inner * work.sum_item;
  const int64_t passes =
      std::max(ranges, (panel + kPanelBytes - 1) / kPanelBytes);
  if (passes > 4 + 4 * threads / outer) return groups;
  return {IndexWay::kPanels, passes};
}

// Cuts `size` slots into about so many ranges, none of more than `most` slots,
// with about the same number of rows to read and write. That is estimated from
// a part of the index: where the cuts are changes no bit.
inline std::vector<SlotRange> CutSlots(const IndexSlots& index,
                                       const IndexWork& rows,
                                       int64_t ranges,
                                       int64_t most) {
  const int64_t size = rows.view.size;
  if (ranges <= 1) return {{0, size}};
  most = std::min(most, OwnedList::kMostSlots);
  // A bin costs some nanoseconds, which a short index is not worth.
  constexpr int64_t kBins = 4096;
  constexpr int64_t kSamples = 16384;
  const int64_t needed = std::max(16 * ranges, 2 * size / most);
  const int64_t bins =
      std::min({std::max(needed, index.length() / 8), kBins, size});
  const int64_t step = std::max<int64_t>(1, index.length() / kSamples);
  const int64_t visited = rows.visits_all() ? size : 0;
  std::vector<int64_t> work(bins, visited / bins);
  int64_t room = 0;
  for (int64_t p = 0; p < index.length(); p += step) {
    work[*index.Read(p, 1, &room) * bins / size] += step;
  }
  const int64_t share =
      std::max<int64_t>(1, (visited + index.length()) / ranges);
  std::vector<SlotRange> cut;
  int64_t done = 0;
  int64_t begin = 0;
  for (int64_t bin = 0; bin < bins; ++bin) {
    const int64_t end = (bin + 1) * size / bins;
    const int64_t next = bin + 1 < bins ? (bin + 2) * size / bins : end + most;
    done += work[bin];
    if (done < share && next - begin <= most) continue;
    cut.push_back({begin, end});
    begin = end;
    done = 0;
  }
  return cut;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
