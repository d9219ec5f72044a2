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
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

// Slots [begin, end).
struct SlotRange {
  int64_t begin, end;

  int64_t size() const { return end - begin; }
};

// Positions of an index that point into a range of slots, and their slots,
// counted from the first of the range. Two kinds: a chunk of an index whose
// range is all slots ...
struct WholeList {
  int64_t first;
  const int64_t* slots;
  int64_t count;

  int64_t slot(int64_t i) const { return slots[i]; }
  int64_t position(int64_t i) const { return first + i; }
};

// ... and those of some chunks that point into a range. Long, for each turn
// from the index to the rows of a list waits for memory, and of 32 bits, so
// that the caches have room for it: every slot of the axis must fit into
// Offset, since slots outside of the range are compared in this type too.
template <typename Offset>
struct OwnedList {
  static constexpr int64_t kMost = 4096;
  static constexpr int64_t kChunk = 512;  // positions read at a time
  int64_t first = 0;                      // positions are counted from here
  int64_t count = 0;
  Offset slots[kMost];
  Offset positions[kMost];

  int64_t slot(int64_t i) const { return slots[i]; }
  int64_t position(int64_t i) const { return first + positions[i]; }

  bool IsFull(int64_t at) const {
    return count > kMost - kChunk ||
           at - first > std::numeric_limits<Offset>::max() - kChunk;
  }

  // Appends what `n` positions from `at` on, which have these slots, point to.
  // Without a branch, which a random index would make costly.
  void Append(SlotRange range, int64_t at, const int64_t* from, int64_t n) {
    if (count == 0) first = at;
    const uint64_t size = range.size();
    int64_t i = 0;
#ifdef SCATTER_OPS_AVX2
    if constexpr (std::is_same<Offset, int32_t>::value) {
      if (HasAvx2()) i = AppendByEight(range, at, from, n);
    }
#endif
    int64_t found = count;
    for (; i < n; ++i) {
      const uint64_t slot = static_cast<uint64_t>(from[i] - range.begin);
      slots[found] = static_cast<Offset>(slot);
      positions[found] = static_cast<Offset>(at - first + i);
      found += slot < size;
    }
    count = found;
  }

#ifdef SCATTER_OPS_AVX2
  // The same, which leaves fewer than eight. What is found moves to the front
  // of a vector, all of which is stored.
  SCATTER_OPS_TARGET int64_t AppendByEight(SlotRange range,
                                           int64_t at,
                                           const int64_t* from,
                                           int64_t n) {
    const __m256i begin = Set(range.begin);
    const __m256i end = Set(range.end);
    int64_t found = count;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      Prefetch(from + i + kChunk);
      const __m256i slot = LoadLow(from + i);
      const __m256i inside = _mm256_andnot_si256(
          _mm256_cmpgt_epi32(begin, slot), _mm256_cmpgt_epi32(end, slot));
      const int bits = _mm256_movemask_ps(_mm256_castsi256_ps(inside));
      const __m256i lanes =
          _mm256_cvtepu8_epi32(LaneBytes(kLaneTables.compress[bits]));
      Store(slots + found,
            _mm256_permutevar8x32_epi32(_mm256_sub_epi32(slot, begin), lanes));
      Store(positions + found, _mm256_add_epi32(lanes, Set(at - first + i)));
      found += __builtin_popcount(bits);
    }
    count = found;
    return i;
  }

  SCATTER_OPS_STEP __m256i Set(int64_t value) {
    return _mm256_set1_epi32(static_cast<int32_t>(value));
  }

  // The low halves of eight words.
  SCATTER_OPS_STEP __m256i LoadLow(const int64_t* words) {
    const auto* from = reinterpret_cast<const float*>(words);
    const __m256 low = _mm256_shuffle_ps(
        _mm256_loadu_ps(from), _mm256_loadu_ps(from + 8), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(low), 0xD8);
  }

  SCATTER_OPS_STEP void Store(int32_t* to, __m256i values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  }
#endif
};

// f(list) for lists of all positions that point into a range of `size` slots,
// in the order of the index.
template <typename Offset, typename F>
void ForEachList(const IndexSlots& index,
                 SlotRange range,
                 int64_t size,
                 const F& f) {
  if (range.size() == size) {
    index.ForEachChunk([&f](int64_t at, const int64_t* slots, int64_t n) {
      f(WholeList{at, slots, n});
    });
    return;
  }
  OwnedList<Offset> list;
  const auto append = [&](int64_t at, const int64_t* slots, int64_t n) {
    list.Append(range, at, slots, n);
    if (!list.IsFull(at + n)) return;
    f(list);
    list.count = 0;
  };
  index.ForEachChunk(append, OwnedList<Offset>::kChunk);
  if (list.count > 0) f(list);
}

// For each slot of an axis, the number of index entries that point to it (for
// means) or whether there is one. The index must have fewer than 2^31 entries:
// an int32_t is converted to floating point by a vector instruction.
template <IndexReduce kReduce, typename Offset>
class SlotMarks {
 public:
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  using Mark = std::conditional_t<kMeans, int32_t, uint8_t>;

  void Make(const IndexSlots& index,
            int64_t size,
            const std::vector<SlotRange>& ranges) {
    marks_.reset(new Mark[size]);
    ParallelFor(ranges.size(), index.length() * sizeof(Mark), [&](int64_t r) {
      const SlotRange range = ranges[r];
      Mark* marks = marks_.get() + range.begin;
      std::fill_n(marks, range.size(), Mark{0});
      ForEachList<Offset>(index, range, size, [marks](const auto& list) {
        for (int64_t i = 0; i < list.count; ++i) {
          Mark& mark = marks[list.slot(i)];
          mark = kMeans ? mark + 1 : 1;
        }
      });
    });
  }

  const Mark* from(int64_t slot) const { return marks_.get() + slot; }

 private:
  std::unique_ptr<Mark[]> marks_;
};

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

// Slots cut into ranges with about the same number of rows to read and write,
// as far as a part of the index tells, of max_slots or fewer: where the cuts
// are changes no bit.
inline std::vector<SlotRange> CutSlots(const IndexSlots& index,
                                       int64_t size,
                                       int64_t ranges,
                                       int64_t max_slots) {
  if (ranges == 1) return {{0, size}};
  constexpr int64_t kSamples = 64;  // of a range
  const int64_t n = index.length();
  const int64_t count = kSamples * ranges;
  const int64_t of_index = count * n / (n + size);
  std::vector<int64_t> samples(count);
  for (int64_t i = 0; i < count; ++i) {
    if (i < of_index) {
      samples[i] = *index.Read(n * i / of_index, 1, &samples[i]);
    } else {
      samples[i] = size * (i - of_index) / (count - of_index);
    }
  }
  std::sort(samples.begin(), samples.end());
  std::vector<SlotRange> cut;
  int64_t begin = 0;
  for (int64_t r = 1; r <= ranges; ++r) {
    const int64_t end = r < ranges ? samples[r * kSamples] : size;
    for (; end - begin > max_slots; begin += max_slots) {
      cut.push_back({begin, begin + max_slots});
    }
    cut.push_back({begin, end});
    begin = end;
  }
  return cut;
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
    const bool few = !kPanels && n <= view_.size;
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
    const T* updates = operands_.updates + o * view_.updates_size * inner;
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
