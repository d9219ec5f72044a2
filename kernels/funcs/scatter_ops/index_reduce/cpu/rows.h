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
// index points. Each task owns a range of slots and passes over all of the
// index, so that a slot gets its updates in the order of the index. Results are
// bitwise those of a group, except for the payload of a NaN.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/slot_lists.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

// Whether a reduction can go through the updates in the order of the index: it
// starts from an identity, which a product of complex numbers has not.
template <typename T, IndexReduce kReduce>
constexpr bool ReducesInOrder() {
  return !(kReduce == IndexReduce::kMul && IsComplexNumber<T>::value);
}

// The length of a row is an int64_t, or a constant of type RowLength. For rows
// of constant length, the loops below compute results for slots without an
// update as well, and drop them: a branch for each row would cost more.
template <int64_t kLength>
using RowLength = std::integral_constant<int64_t, kLength>;
template <typename Length>
constexpr bool kIsConstant = !std::is_same<Length, int64_t>::value;

// What a reduction of T leaves other elements unchanged by: the start of a slot
// that x has no part in. Not for a product of complex numbers, where 1 times an
// infinity has a NaN.
template <typename T, IndexReduce kReduce>
constexpr T IdentityOf() {
  using Limits = std::numeric_limits<T>;
  if constexpr (kReduce == IndexReduce::kMul) {
    return T(1);
  } else if constexpr (kReduce == IndexReduce::kAmax) {
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  } else if constexpr (kReduce == IndexReduce::kAmin) {
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  } else {
    return T{};
  }
}

// sums = x, but the identity in marked rows. sums may be x itself.
template <IndexReduce kReduce,
          typename Mark,
          typename Length,
          typename T,
          typename Sum>
void StartRows(
    const Mark* marks, int64_t rows, Length inner, const T* x, Sum* sums) {
  const Sum first = IdentityOf<Sum, kReduce>();
  const bool in_place = static_cast<const void*>(x) == sums;
  SCATTER_OPS_IVDEP
  for (int64_t r = 0; r < rows; ++r) {
    const bool marked = marks[r] > 0;
    if (!kIsConstant<Length> && in_place && !marked) continue;
    for (int64_t l = 0; l < inner; ++l) {
      const int64_t at = r * inner + l;
      sums[at] = marked ? first : WidenedTo<Sum>(x[at]);
    }
  }
}

template <IndexReduce kReduce, typename Sum, typename T>
Sum Reduced(Sum sum, T element) {
  if constexpr (kReduce == IndexReduce::kAssign) {
    return element;
  } else {
    return Combine<kReduce>(sum, WidenedTo<Sum>(element));
  }
}

// Reduces each row of updates into the row of its slot in `sums`. Longer rows
// are prefetched; very short ones the processor finds early enough by itself.
template <IndexReduce kReduce,
          typename List,
          typename Length,
          typename T,
          typename Sum>
void ReduceRows(const List& list, Length inner, const T* updates, Sum* sums) {
  // A cache line arrives in about the time that so many rows take.
  constexpr int64_t kAhead = 8;
  for (int64_t i = 0; i < list.count; ++i) {
    if (!kIsConstant<Length> && i + kAhead < list.count) {
      PrefetchRow(sums + list.slot(i + kAhead) * inner, inner);
      PrefetchRow(updates + list.position(i + kAhead) * inner, inner);
    }
    const T* update = updates + list.position(i) * inner;
    Sum* sum = sums + list.slot(i) * inner;
    if constexpr (std::is_same<Length, RowLength<1>>::value) {
      *sum = Reduced<kReduce>(*sum, *update);
    } else if constexpr (kIsConstant<Length>) {
      // The compiler makes a vector of a loop that it does not unroll, if what
      // it writes is nothing that it reads.
      alignas(64) Sum reduced[Length::value];
      SCATTER_OPS_NO_UNROLL
      for (int64_t l = 0; l < Length::value; ++l) {
        reduced[l] = Reduced<kReduce>(sum[l], update[l]);
      }
      std::copy_n(reduced, Length::value, sum);
    } else {
      SCATTER_OPS_IVDEP
      for (int64_t l = 0; l < inner; ++l) {
        sum[l] = Reduced<kReduce>(sum[l], update[l]);
      }
    }
  }
}

template <IndexReduce kReduce, typename Sum, typename Mark>
auto TotalOf(Sum sum, Mark count) {
  if constexpr (kReduce != IndexReduce::kMean) {
    return sum;
  } else if constexpr (std::is_floating_point<Sum>::value) {
    return sum / static_cast<Sum>(count);
  } else {
    return DivideByCount(sum, std::max<int64_t>(1, count));
  }
}

template <typename T, IndexReduce kReduce, typename Offset>
class ShortRowReducer {
 public:
  explicit ShortRowReducer(const ReduceOperands<T>& operands)
      : operands_(operands),
        view_(operands.view),
        bytes_(view_.outer * (view_.size + operands.slots.length()) *
               view_.inner * sizeof(T)) {}

  // False, before anything is written, if it takes groups.
  bool Run() {
    const int64_t ranges = CountRanges();
    if (ranges == 0) return false;
    ParallelCopy(operands_.out, operands_.x, view_.numel() * sizeof(T));
    const int64_t row = view_.inner * static_cast<int64_t>(sizeof(Row));
    const int64_t max_slots =
        kPanels ? std::max<int64_t>(1, kMaxPanelBytes / row) : view_.size;
    ranges_ = CutSlots(operands_.slots, view_.size, ranges, max_slots);
    if (HasMarks()) marks_.Make(operands_.slots, view_.size, ranges_);
    int64_t most = 0;
    for (const SlotRange& range : ranges_) most = std::max(most, range.size());
    const int64_t count = ranges_.size();
    const int64_t threads = ThreadsFor(bytes_);
    const int64_t step = std::max<int64_t>(1, view_.outer / (threads * 4));
    const int64_t tasks = (view_.outer + step - 1) / step * count;
    ParallelFor(threads, bytes_, [&](int64_t t) {
      const std::unique_ptr<Row[]> sums(
          new Row[kPanels ? most * view_.inner : 0]);
      for (int64_t i = tasks * t / threads; i < tasks * (t + 1) / threads;
           ++i) {
        const int64_t begin = i / count * step;
        const int64_t end = std::min(view_.outer, begin + step);
        CallVectorisedForHalf<T>([&] {
          for (int64_t o = begin; o < end; ++o) {
            const SlotRange range = ranges_[i % count];
            view_.inner == 1 ? Reduce(o, range, RowLength<1>{}, sums.get())
                             : Reduce(o, range, view_.inner, sums.get());
          }
        });
      }
    });
    return true;
  }

 private:
  static constexpr bool kAssigns = kReduce == IndexReduce::kAssign;
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  using Sum = typename ReduceType<T, kReduce>::type;
  using Mark = typename SlotMarks<kReduce, Offset>::Mark;
  // In out, partial results can be no other than T. Others are kept in a panel
  // of a thread, which is rounded into out at the end.
  static constexpr bool kPanels = !kAssigns && !std::is_same<Sum, T>::value;
  using Row = std::conditional_t<kPanels, Sum, T>;
  // A panel is made for the L2 cache of a core; that of a range with few
  // updates may be larger.
  static constexpr int64_t kPanelBytes = 1 << 20;
  static constexpr int64_t kMaxPanelBytes = 4 << 20;

  bool KeepsX() const { return kAssigns || operands_.include_self; }
  bool HasMarks() const { return kMeans || !KeepsX(); }

  // How many ranges of slots there are, each of which takes a pass over the
  // index; 0 if groups are faster.
  int64_t CountRanges() const {
    // Groups read no update that another replaces, and write a slot once.
    const int64_t row = view_.inner * static_cast<int64_t>(sizeof(T));
    const int64_t n = operands_.slots.length();
    if (kMeans && n > std::numeric_limits<Mark>::max()) return 0;
    const bool in_place = operands_.x == operands_.out;
    const bool few = in_place && !kPanels && n <= view_.size;
    if (row > (kAssigns ? 64 : few ? 4096 : 256)) return 0;
    if ((kPanels || HasMarks()) && HasFewPositions(n, view_.size)) return 0;
    const int64_t threads = ThreadsFor(bytes_);
    const int64_t outer = view_.outer;
    const bool even = outer >= 4 * threads || outer % threads == 0;
    // Lists of a range cannot hold the slots of a longer axis.
    const bool has_lists = view_.size <= std::numeric_limits<Offset>::max();
    const int64_t ranges =
        even || !has_lists ? 1 : std::min(view_.size, threads);
    if (!kPanels || view_.inner == 1) return ranges;
    const int64_t panel = view_.size * view_.inner * sizeof(Row);
    const int64_t passes = std::max(ranges, panel / kPanelBytes);
    const int64_t most_passes = has_lists ? 4 + 4 * threads / outer : 1;
    return passes <= most_passes ? passes : 0;
  }

  // Reduces row o of x within a range of slots.
  template <typename Length>
  void Reduce(int64_t o, SlotRange range, Length inner, Row* sums) const {
    const int64_t rows = range.size();
    T* out = operands_.out + (o * view_.size + range.begin) * inner;
    const Mark* marks = marks_.from(range.begin);
    if constexpr (!kPanels) sums = out;
    if (!KeepsX()) {
      StartRows<kReduce>(marks, rows, inner, out, sums);
    } else if constexpr (kPanels) {
      for (int64_t i = 0; i < rows * inner; ++i) {
        sums[i] = WidenedTo<Sum>(out[i]);
      }
    }
    const T* updates = operands_.updates + o * view_.length * inner;
    ForEachList<Offset>(
        operands_.slots, range, view_.size, [&](const auto& list) {
          ReduceRows<kReduce>(list, inner, updates, sums);
        });
    if constexpr (kMeans || kPanels) Finish(marks, rows, inner, sums, out);
  }

  // out = the totals of `sums`, which may be out. Where a mean has no mark, and
  // elsewhere for a NaN without an update, the bits of x stay.
  template <typename Length>
  void Finish(const Mark* marks,
              int64_t rows,
              Length inner,
              const Sum* sums,
              T* out) const {
    SCATTER_OPS_IVDEP
    for (int64_t r = 0; r < rows; ++r) {
      const Mark mark = kMeans ? marks[r] : Mark{1};
      if (!kIsConstant<Length> && mark == 0) continue;
      for (int64_t l = 0; l < inner; ++l) {
        const int64_t at = r * inner + l;
        const Sum sum = sums[at];
        const T kept = out[at];
        bool keeps = mark == 0;
        if constexpr (!kMeans) {
          const Sum wide = WidenedTo<Sum>(kept);
          keeps = (sum != sum) & (wide != wide);
        }
        const Mark count = mark + operands_.include_self;
        const T total = RoundedTo<T>(TotalOf<kReduce>(sum, count));
        // No compiler makes vectors of a choice of structs.
        if constexpr (kIsHalf<T>) {
          out[at].x = Choose(keeps, kept.x, total.x);
        } else {
          out[at] = keeps ? kept : total;
        }
      }
    }
  }

  const ReduceOperands<T>& operands_;
  const AxisView& view_;
  int64_t bytes_;
  std::vector<SlotRange> ranges_;
  SlotMarks<kReduce, Offset> marks_;
};

// out = x with the updates reduced into it, if its rows are short. Offset holds
// the slots of an axis that is cut into ranges.
template <typename T, IndexReduce kReduce, typename Offset = int32_t>
bool ReduceShortRows(const ReduceOperands<T>& operands) {
  if constexpr (ReducesInOrder<T, kReduce>()) {
    return ShortRowReducer<T, kReduce, Offset>(operands).Run();
  }
  return false;
}

}  // namespace phi::funcs::scatter_ops
