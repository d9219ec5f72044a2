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

// Reductions of short rows without grouping the index: updates are read once,
// in the order in which they lie in memory, and slots are written wherever the
// index points. Each task owns a range of slots and passes over all of
// the index: no atomics, and a slot gets its updates in the order of the index,
// with the same bits as a group of them.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/rounding.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/eight_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_ways.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/row_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/slot_lists.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/slot_notes.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename T, IndexReduce kReduce>
class ShortRowReducer {
 public:
  ShortRowReducer(const AxisView& view,
                  const IndexSlots& slots,
                  bool include_self,
                  const T* x,
                  const T* updates,
                  T* out)
      : view_(view),
        inner_(view.inner),
        slots_(slots),
        include_self_(include_self),
        x_(x),
        updates_(updates),
        out_(out),
        work_{view,
              slots.length(),
              sizeof(T),
              sizeof(Row),
              kPanels,
              kAssigns,
              kMeans,
              include_self,
              x == out} {}

  // Chooses a way; false if that is none for short rows.
  bool Serves() {
    if (!kKnown) return false;
    if (kMayOverflow && (x_ == out_ || updates_ == out_)) return false;
    plan_ = ChooseIndexWay(work_);
    return plan_.way != IndexWay::kGroups;
  }

  // False if a sum has overflowed: then out holds nothing of use, and x and
  // updates, which do not share its memory, are to be reduced in another way.
  bool Run() {
    if constexpr (kKnown) {
      Prepare();
      const int64_t step = OuterStep();
      const int64_t blocks = (view_.outer + step - 1) / step;
      const int64_t ranges = static_cast<int64_t>(ranges_.size());
      ParallelForWorkers(
          blocks * ranges, work_.cost(), [&](int worker, int64_t i) {
            const int64_t begin = i / ranges * step;
            const int64_t end = std::min(view_.outer, begin + step);
            CallVectorisedForHalf<T>([&] {
              Block(begin, end, ranges_[i % ranges], rooms_[worker]);
            });
          });
    }
    return !overflowed_;
  }

 private:
  static constexpr bool kAssigns = kReduce == IndexReduce::kAssign;
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  using Sum = typename ReduceType<T, kReduce>::type;
  using WideSum = typename WideSumOf<T>::type;
  // In out, partial results can be no other than T.
  static constexpr bool kPanels = !kAssigns && !std::is_same<Sum, T>::value;
  using Row = std::conditional_t<kPanels, Sum, T>;
  // A sum of int64 is exact until it overflows, which is noticed.
  static constexpr bool kMayOverflow =
      kMeans && std::is_same<T, int64_t>::value;
  using Notes = SlotNotes<T, kReduce, Row>;
  using Mark = typename Notes::MarkType;
  static constexpr bool kDivides = Notes::kDivides;
  // A product of complex numbers has no identity to start from.
  static constexpr bool kKnown =
      !(kReduce == IndexReduce::kMul && IsComplexNumber<T>::value);
  // Rows of one element are reduced so many at once.
  static constexpr int64_t kColumns = 4;
  static constexpr bool kEights = !kPanels && sizeof(T) == sizeof(float);

  // What a thread keeps besides out.
  struct Room {
    WorkArray<Row> panel;
    WorkArray<T> eights;
    WorkArray<WideSum> wide_sums;
  };

  // Allocates all that is needed, so that nothing has been written if there is
  // no memory for it, and notes what the index has.
  void Prepare() {
    // What the caches near a core have room for.
    constexpr int64_t kNearBytes = 512 << 10;
    ranges_ = CutSlots(slots_,
                       work_,
                       plan_.ranges,
                       kPanels ? 2 * view_.size / plan_.ranges : view_.size);
    if (work_.marks()) notes_.Mark(slots_, ranges_, view_.size);
    const int64_t most_wide = notes_.Derive(ranges_, view_.size, include_self_);
    int64_t most = 0;
    for (const SlotRange& range : ranges_) most = std::max(most, range.size());
    const int64_t bytes = most * inner_ * static_cast<int64_t>(sizeof(Row));
    far_ = bytes > kNearBytes;
    columns_ = inner_ == 1 && view_.outer > 1 && most_wide == 0 &&
               !kMayOverflow && kColumns * bytes <= kNearBytes;
    eights_ = kEights && columns_ && kEight * bytes <= kNearBytes &&
              ranges_.size() == 1 && HasAvx2() &&
              PaysByEight(view_.size, slots_.length(), KeepsX());
    at_once_ = eights_ ? kEight : columns_ ? kColumns : 1;
    rooms_.resize(work_.cost() < kParallelBytes ? 1 : NumThreads());
    for (Room& room : rooms_) {
      if (kPanels) room.panel.Resize((columns_ ? kColumns : 1) * most * inner_);
      if (eights_) room.eights.Resize(kEight * most);
      if (most_wide > 0) room.wide_sums.Resize(most_wide * inner_);
    }
  }

  // Rows of x in a task: so many that two threads seldom fill the same huge
  // page, which one of them would wait for.
  int64_t OuterStep() const {
    constexpr int64_t kTaskBytes = 4 * kMaxTileBytes;
    const int64_t row = std::max<int64_t>(1, work_.bytes() / view_.outer);
    const int64_t share = view_.outer / (NumThreads() * 4);
    const int64_t step = std::min(kTaskBytes / row, share);
    return std::max(at_once_, step / at_once_ * at_once_);
  }

  int64_t Offset(int64_t o, int64_t slot) const {
    return (o * view_.size + slot) * inner_;
  }

  // Reduces rows [begin, end) of x within a range of slots.
  void Block(int64_t begin, int64_t end, SlotRange range, const Room& room) {
    for (int64_t o = begin; o < end; o += at_once_) {
      const int64_t rows = std::min(at_once_, end - o);
      if (eights_ && rows == kEight) {
        ReduceEight(o, room);
        continue;
      }
      for (int64_t r = 0; r < rows; ++r) {
        Start(o + r, range, SumsOf(o, r, range, room));
      }
      if (rows == kColumns) {
        ReduceFourRows(o, range, room);
      } else {
        for (int64_t r = 0; r < rows; ++r) {
          ReduceOneRow(o + r, range, SumsOf(o, r, range, room), room);
        }
      }
      for (int64_t r = 0; r < rows; ++r) {
        Finish(o + r, range, SumsOf(o, r, range, room), room);
      }
    }
  }

  // Where row o + r of x is accumulated, from the first slot of the range on.
  Row* SumsOf(int64_t o, int64_t r, SlotRange range, const Room& room) const {
    if constexpr (kPanels) {
      return room.panel.data() + r * range.size() * inner_;
    } else {
      return out_ + Offset(o + r, range.begin);
    }
  }

  // What is reduced first; slots without an update are copied.
  void Start(int64_t o, SlotRange range, Row* sums) const {
    const T* x = x_ + Offset(o, range.begin);
    const int64_t n = range.size() * inner_;
    if constexpr (kPanels) {
      if (!include_self_) {
        std::fill_n(sums, n, IdentityOf<Row, kReduce>());
        return;
      }
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) sums[i] = WidenedTo<Row>(x[i]);
    } else if (KeepsX() || !work_.marks()) {
      CopyX(x, n, sums);
      if (!KeepsX()) ClearSlots(range, sums);
    } else {
      WithRowLength(inner_, [&](auto length) {
        StartMarkedRows<decltype(length)::value>(notes_.marks() + range.begin,
                                                 range.size(),
                                                 inner_,
                                                 IdentityOf<T, kReduce>(),
                                                 x,
                                                 sums);
      });
    }
  }

  bool KeepsX() const { return kAssigns || include_self_; }

  void CopyX(const T* x, int64_t n, T* out) const {
    if (x_ != out_) std::memcpy(static_cast<void*>(out), x, n * sizeof(T));
  }

  void ClearSlots(SlotRange range, T* sums) const {
    const T first = IdentityOf<T, kReduce>();
    ForEachList(slots_, range, view_.size, [&](const auto& list) {
      inner_ == 1 ? FillRows<1>(list, inner_, first, sums)
                  : FillRows<0>(list, inner_, first, sums);
    });
  }

  void ReduceEight(int64_t o, const Room& room) const {
    if constexpr (kEights) {
      ReduceEightRows<kReduce>(slots_,
                               view_.size,
                               KeepsX() ? nullptr : notes_.marks(),
                               notes_.divisors(),
                               x_ + Offset(o, 0),
                               updates_ + o * view_.updates_size,
                               view_.updates_size,
                               room.eights.data(),
                               out_ + Offset(o, 0));
    }
  }

  void ReduceFourRows(int64_t o, SlotRange range, const Room& room) const {
    const int64_t step = kPanels ? range.size() : view_.size;
    Row* sums = SumsOf(o, 0, range, room);
    const T* updates = updates_ + o * view_.updates_size;
    ForEachList(slots_, range, view_.size, [&](const auto& list) {
      ReduceColumns<kReduce, kColumns>(
          list, updates, view_.updates_size, sums, step);
    });
  }

  void ReduceOneRow(int64_t o, SlotRange range, Row* sums, const Room& room) {
    const T* updates = updates_ + o * view_.updates_size * inner_;
    if (notes_.widens()) return ReduceWidely(o, range, sums, room);
    WithRowLength(inner_, [&](auto length) {
      ForEachList(slots_, range, view_.size, [&](const auto& list) {
        if constexpr (kMayOverflow) {
          if (AddWatchedRows(list, inner_, updates, sums)) overflowed_ = true;
        } else {
          ReduceRows<kReduce, decltype(length)::value>(
              list, inner_, far_, updates, sums);
        }
      });
    });
  }

  // Slots with many updates are added up besides the others.
  void ReduceWidely(int64_t o, SlotRange range, Row* sums, const Room& room) {
    const T* x = x_ + Offset(o, range.begin);
    ForEachWide(range, [&](int64_t s, int64_t wide) {
      WideSum* row = room.wide_sums.data() + wide * inner_;
      for (int64_t l = 0; l < inner_; ++l) {
        row[l] =
            include_self_ ? WidenedTo<WideSum>(x[s * inner_ + l]) : WideSum{};
      }
    });
    const T* updates = updates_ + o * view_.updates_size * inner_;
    ForEachList(slots_, range, view_.size, [&](const auto& list) {
      for (int64_t i = 0; i < list.count(); ++i) {
        const int64_t slot = range.begin + list.slot(i);
        const T* update = updates + list.position(i) * inner_;
        if (notes_.IsWide(slot)) {
          AddRow(update,
                 inner_,
                 room.wide_sums.data() + notes_.wide_row(slot) * inner_);
        } else {
          AddRow(update, inner_, sums + list.slot(i) * inner_);
        }
      }
    });
  }

  // f(slot in the range, its row in wide_sums)
  template <typename F>
  void ForEachWide(SlotRange range, const F& f) const {
    for (int64_t s = 0; notes_.widens() && s < range.size(); ++s) {
      const int64_t slot = range.begin + s;
      if (notes_.IsWide(slot)) f(s, notes_.wide_row(slot));
    }
  }

  void Finish(int64_t o, SlotRange range, Row* sums, const Room& room) const {
    if constexpr (kMeans || kPanels) {
      T* out = out_ + Offset(o, range.begin);
      const T* x = x_ + Offset(o, range.begin);
      WithRowLength(inner_, [&](auto length) {
        FinishRows<decltype(length)::value>(range, x, sums, out);
      });
      ForEachWide(range, [&](int64_t s, int64_t wide) {
        const WideSum* row = room.wide_sums.data() + wide * inner_;
        const int64_t count = notes_.marks()[range.begin + s] + include_self_;
        for (int64_t l = 0; l < inner_; ++l) {
          out[s * inner_ + l] = static_cast<T>(DivideByCount(row[l], count));
        }
      });
    }
  }

  template <int kInner>
  void FinishRows(SlotRange range, const T* x, const Row* sums, T* out) const {
    const Mark* marks = notes_.marks() + range.begin;
    const Row* divisors = notes_.divisors() + range.begin;
    ForEachRow<kInner>(
        range.size(),
        [=](int64_t s, int64_t i) {
          if constexpr (kDivides && !kPanels) {
            const T total = sums[i] / divisors[s];
            out[i] = divisors[s] > 0 ? total : sums[i];
          } else {
            const T total = Total(sums[i], range.begin + s);
            out[i] = marks[s] > 0 ? total : x[i];
          }
        },
        [=](int64_t s) {
          const int64_t at = s * inner_;
          if (marks[s] > 0) {
#pragma GCC ivdep
            for (int64_t l = 0; l < inner_; ++l) {
              out[at + l] = Total(sums[at + l], range.begin + s);
            }
          } else if (kPanels && x_ != out_) {
            std::copy_n(x + at, inner_, out + at);
          }
        });
  }

  T Total(Row sum, int64_t slot) const {
    if constexpr (kDivides) {
      return RoundedTo<T>(sum / notes_.divisors()[slot]);
    } else if constexpr (kMeans) {
      const int64_t count = notes_.marks()[slot] + include_self_;
      return RoundedTo<T>(DivideByCount(sum, std::max<int64_t>(1, count)));
    } else {
      return RoundedTo<T>(sum);
    }
  }

  const AxisView& view_;
  int64_t inner_;
  IndexSlots slots_;
  bool include_self_;
  const T* x_;
  const T* updates_;
  T* out_;
  IndexWork work_;
  IndexPlan plan_{IndexWay::kGroups, 1};
  std::vector<SlotRange> ranges_;
  Notes notes_;
  std::vector<Room> rooms_;  // one for each thread
  bool far_ = false;
  bool columns_ = false;
  bool eights_ = false;
  int64_t at_once_ = 1;  // rows of x
  std::atomic<bool> overflowed_{false};
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
