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

// The bytes of the rows that are read and written.
inline int64_t RowBytes(const AxisView& view, int64_t positions, int64_t item) {
  return view.outer * (view.size + positions) * view.inner * item;
}

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
  int64_t bytes() const { return RowBytes(view, positions, item); }
  // One thread does it then.
  bool small() const { return bytes() < kParallelBytes; }
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
inline int64_t RowThreads(const AxisView& view,
                          int64_t positions,
                          int64_t item,
                          int64_t near) {
  if (RowBytes(view, positions, item) < kParallelBytes) return 1;
  const bool one_by_one = view.outer == 1 && view.inner == 1;
  const bool many = positions >= 2 * view.size;
  return one_by_one && many && view.size * item <= near ? 1 : NumThreads();
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
    if (work.small()) return INT64_MAX;
    // Assigning by groups reads the last update of each slot alone. That pays
    // unless all that it saves is parts of cache lines, or nearly nothing, as
    // where few of many slots are written, and the others stay as they are.
    const bool sparse = work.positions <= work.view.size / 4;
    const bool alone = work.in_place && work.view.outer == 1;
    return sparse && alone ? kPage : IndexWork::kLineBytes;
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
  const int64_t threads =
      RowThreads(work.view, work.positions, work.item, near);
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
                                       int64_t size,
                                       int64_t ranges,
                                       int64_t most) {
  if (ranges <= 1) return {{0, size}};
  most = std::min(most, OwnedList::kMostSlots);
  constexpr int64_t kBins = 4096;
  constexpr int64_t kSamples = 16384;
  const int64_t bins = std::min(kBins, size);
  const int64_t step = std::max<int64_t>(1, index.length() / kSamples);
  std::vector<int64_t> work(bins, size / bins);
  int64_t room = 0;
  for (int64_t p = 0; p < index.length(); p += step) {
    work[*index.Read(p, 1, &room) * bins / size] += step;
  }
  const int64_t share = (size + index.length()) / ranges;
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
