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

// The walk that the CPU kernels of index_reduce share: which slots of x a task
// covers, and which lanes of a slot are reduced together.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Lanes of a slot that are neighbours in memory.
struct WideLanes {
  static constexpr bool kCopied = false;
  static constexpr int64_t kMax = 2048;
  int64_t count;
  const TileStores& stores;

  int64_t size() const { return count; }
  int64_t x(int64_t l) const { return l; }
};

// A fixed number of lanes that are far apart in x. If there is more than one,
// their updates are read from a packed copy, in which they are neighbours.
template <int kCount>
struct NarrowLanes {
  static constexpr bool kCopied = true;
  static constexpr int64_t kMax = kCount;
  int64_t x_offset[kCount];
  int64_t updates_offset[kCount];

  // Columns `first` ... of the flattened [outer, inner].
  NarrowLanes(const AxisView& view, int64_t first) {
    for (int l = 0; l < kCount; ++l) {
      const int64_t o = (first + l) / view.inner;
      const int64_t i = (first + l) % view.inner;
      x_offset[l] = o * view.size * view.inner + i;
      updates_offset[l] = o * view.updates_size * view.inner + i;
    }
  }

  static constexpr int64_t size() { return kCount; }
  int64_t x(int64_t l) const { return x_offset[l]; }

  // packed[p] = the lanes of position p, for one position: what is read in the
  // order of the groups then lies in one place instead of kCount.
  template <typename T>
  void Pack(const T* updates, int64_t inner, int64_t p, T* packed) const {
    for (int l = 0; l < kCount; ++l) {
      packed[p * kCount + l] = updates[updates_offset[l] + p * inner];
    }
  }

  template <typename T>
  void Unpack(const T* packed, int64_t inner, int64_t p, T* updates) const {
    for (int l = 0; l < kCount; ++l) {
      updates[updates_offset[l] + p * inner] = packed[p * kCount + l];
    }
  }
};

constexpr int kNarrowLanes = 8;

// A box of x: rows [outer_begin, outer_end), the slots of groups
// [group_begin, group_end) and the slots in between without a group, and lanes
// [inner_begin, inner_end).
struct GroupTask {
  int64_t outer_begin, outer_end;
  int64_t group_begin, group_end;
  int64_t slot_begin, slot_end;
  int64_t inner_begin, inner_end;
};

// Cuts x into boxes of about the same work, whatever the index looks like.
class GroupTasks {
 public:
  GroupTasks(const AxisView& view,
             const IndexGroups& groups,
             int64_t element_bytes,
             bool copies_rest,
             bool wide)
      : view_(view), groups_(groups), slot_work_(copies_rest ? 2 : 0) {
    const int64_t row = Work(groups.count(), view.size);
    bytes_ = row * view.outer * view.inner * element_bytes;
    const int64_t wanted = std::min<int64_t>(
        (bytes_ + kTaskBytes - 1) / kTaskBytes, NumThreads() * 8);
    outer_step_ =
        std::max<int64_t>(1, view.outer / std::max<int64_t>(1, wanted));
    if (!wide) {  // whole blocks of narrow lanes
      outer_step_ += kNarrowLanes - 1;
      outer_step_ -= outer_step_ % kNarrowLanes;
    }
    outer_count_ = (view.outer + outer_step_ - 1) / outer_step_;
    CutSlots(row, wanted / std::max<int64_t>(1, outer_count_));
    CutInner(wide, wanted);
  }

  int64_t bytes() const { return bytes_; }
  int64_t count() const { return outer_count_ * range_count() * inner_count_; }

  GroupTask get(int64_t i) const {
    const int64_t inner = i % inner_count_;
    const int64_t range = i / inner_count_ % range_count();
    const int64_t outer = i / inner_count_ / range_count();
    return {outer * outer_step_,
            std::min(view_.outer, (outer + 1) * outer_step_),
            group_cuts_[range],
            group_cuts_[range + 1],
            slot_cuts_[range],
            slot_cuts_[range + 1],
            view_.inner * inner / inner_count_,
            view_.inner * (inner + 1) / inner_count_};
  }

 private:
  // Work of the first `slots` slots, which have `groups` groups.
  int64_t Work(int64_t groups, int64_t slots) const {
    return groups_.start[groups] + groups + slot_work_ * slots;
  }

  int64_t SlotOf(int64_t group) const {
    return group < groups_.count() ? groups_.dest[group] : view_.size;
  }

  int64_t range_count() const {
    return static_cast<int64_t>(group_cuts_.size()) - 1;
  }

  void CutSlots(int64_t row, int64_t ranges) {
    group_cuts_ = {0};
    slot_cuts_ = {0};
    for (int64_t r = 1; r < ranges; ++r) {
      const int64_t target = row * r / ranges;
      int64_t low = 0;
      for (int64_t high = groups_.count(); low < high;) {
        const int64_t middle = low + (high - low) / 2;
        if (Work(middle, SlotOf(middle)) < target) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      const int64_t first = low == 0 ? 0 : groups_.dest[low - 1] + 1;
      const int64_t rest = target - Work(low, first);
      const int64_t slot =
          rest <= 0 ? first
                    : std::min(SlotOf(low),
                               first + rest / std::max<int64_t>(1, slot_work_));
      if (low == group_cuts_.back() && slot == slot_cuts_.back()) continue;
      group_cuts_.push_back(low);
      slot_cuts_.push_back(slot);
    }
    group_cuts_.push_back(groups_.count());
    slot_cuts_.push_back(view_.size);
  }

  // Cuts the lanes of a slot, for when very many positions point to one slot:
  // that work cannot be shared by cutting between slots.
  void CutInner(bool wide, int64_t wanted) {
    const int64_t tasks = outer_count_ * range_count();
    if (!wide || tasks == 0) return;
    int64_t most = 0;
    int64_t all = 0;
    for (int64_t r = 0; r < range_count(); ++r) {
      const int64_t work = Work(group_cuts_[r + 1], slot_cuts_[r + 1]) -
                           Work(group_cuts_[r], slot_cuts_[r]);
      most = std::max(most, work);
      all += work;
    }
    // Few cuts, since each makes the rows shorter that are copied and read.
    const int64_t shares = std::min<int64_t>(wanted, NumThreads() * 4);
    const int64_t needed =
        std::max(wanted / tasks,
                 most * shares / std::max<int64_t>(1, all * outer_count_));
    inner_count_ =
        std::max<int64_t>(1, std::min(needed, view_.inner / kMinInner));
  }

  static constexpr int64_t kTaskBytes = 256 << 10;
  static constexpr int64_t kMinInner = 64;

  const AxisView& view_;
  const IndexGroups& groups_;
  int64_t slot_work_;
  int64_t bytes_ = 0;
  int64_t outer_step_ = 1;
  int64_t outer_count_ = 1;
  int64_t inner_count_ = 1;
  std::vector<int64_t> group_cuts_;
  std::vector<int64_t> slot_cuts_;
};

// Walks all of x. A worker has
//   OutputStores(): how to store what is made from x;
//   Copy(stores, offset, n): n elements of x that no group writes, or that are
//     about to be written as the narrow lanes of groups;
//   Group(lanes, g, x_offset, rows): reduces one group, whose updates are
//   `rows`; Rows(offset, stride): the updates, read where they are, or
//   PackedUpdates: a packed copy of them, with Load(task, lanes, offset),
//   rows()
//     and Store(task, lanes, offset).
template <typename Worker>
class GroupWalk {
 public:
  GroupWalk(const AxisView& view,
            const IndexGroups& groups,
            bool copies_rest,
            const Worker& worker)
      : view_(view),
        groups_(groups),
        copies_rest_(copies_rest),
        worker_(worker) {}

  void Run(int64_t element_bytes) const {
    // For fewer neighbours than this, the loop over lanes costs more than it
    // does.
    constexpr int64_t kMinWide = 4;
    const bool wide = view_.inner >= kMinWide;
    if (view_.outer * view_.size * view_.inner == 0) return;
    const GroupTasks tasks(view_, groups_, element_bytes, copies_rest_, wide);
    const Stores stores = worker_.OutputStores();
    ParallelFor(tasks.count(), tasks.bytes(), [&](int64_t i) {
      wide ? Wide(TileStores(stores), tasks.get(i)) : Narrow(tasks.get(i));
    });
  }

 private:
  int64_t XRow(int64_t o) const { return o * view_.size * view_.inner; }
  int64_t UpdatesRow(int64_t o) const {
    return o * view_.updates_size * view_.inner;
  }

  void Wide(const TileStores& stores, const GroupTask& task) const {
    for (int64_t o = task.outer_begin; o < task.outer_end; ++o) {
      int64_t slot = task.slot_begin;
      for (int64_t g = task.group_begin; g < task.group_end; ++g) {
        CopyWide(stores, task, o, slot, groups_.dest[g]);
        slot = groups_.dest[g] + 1;
        WideGroup(stores, task, o, g);
      }
      CopyWide(stores, task, o, slot, task.slot_end);
    }
  }

  void WideGroup(const TileStores& stores,
                 const GroupTask& task,
                 int64_t o,
                 int64_t g) const {
    const int64_t x_offset = XRow(o) + groups_.dest[g] * view_.inner;
    for (int64_t i = task.inner_begin; i < task.inner_end;
         i += WideLanes::kMax) {
      const int64_t count = std::min(WideLanes::kMax, task.inner_end - i);
      worker_.Group(WideLanes{count, stores},
                    g,
                    x_offset + i,
                    worker_.Rows(UpdatesRow(o) + i, view_.inner));
    }
  }

  void CopyWide(const TileStores& stores,
                const GroupTask& task,
                int64_t o,
                int64_t slot,
                int64_t slot_end) const {
    if (!copies_rest_ || slot >= slot_end) return;
    const int64_t width = task.inner_end - task.inner_begin;
    if (width == view_.inner) {
      worker_.Copy(stores, XRow(o) + slot * width, (slot_end - slot) * width);
      return;
    }
    for (; slot < slot_end; ++slot) {
      worker_.Copy(
          stores, XRow(o) + slot * view_.inner + task.inner_begin, width);
    }
  }

  void Narrow(const GroupTask& task) const {
    // The groups write to these lines again.
    const TileStores stores(Stores::kOrdinary);
    typename Worker::PackedUpdates packed(worker_);
    for (int64_t o = task.outer_begin; o < task.outer_end; o += kNarrowLanes) {
      const int64_t rows = std::min<int64_t>(kNarrowLanes, task.outer_end - o);
      for (int64_t r = o; copies_rest_ && r < o + rows; ++r) {
        worker_.Copy(stores,
                     XRow(r) + task.slot_begin * view_.inner,
                     (task.slot_end - task.slot_begin) * view_.inner);
      }
      const int64_t columns = rows * view_.inner;
      int64_t c = 0;
      for (; c + kNarrowLanes <= columns; c += kNarrowLanes) {
        const NarrowLanes<kNarrowLanes> lanes(view_, c);
        packed.Load(task, lanes, UpdatesRow(o));
        NarrowGroups(task, lanes, XRow(o), packed.rows());
        packed.Store(task, lanes, UpdatesRow(o));
      }
      for (; c < columns; ++c) {
        const NarrowLanes<1> lane(view_, c);
        const int64_t offset = UpdatesRow(o) + lane.updates_offset[0];
        NarrowGroups(task, lane, XRow(o), worker_.Rows(offset, view_.inner));
      }
    }
  }

  template <typename Lanes, typename Rows>
  void NarrowGroups(const GroupTask& task,
                    const Lanes& lanes,
                    int64_t x_row,
                    const Rows& rows) const {
    for (int64_t g = task.group_begin; g < task.group_end; ++g) {
      worker_.Group(lanes, g, x_row + groups_.dest[g] * view_.inner, rows);
    }
  }

  const AxisView& view_;
  const IndexGroups& groups_;
  bool copies_rest_;
  const Worker& worker_;
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
