// Reductions of short rows without sorting the index: updates are read once, in
// memory order, and accumulated into the slices that the index names. Each task
// owns a range of slices and scans the whole index, so that a slice receives
// its updates in the order of the index. Results and those of SegmentReducer
// are bitwise identical, except for the sign bit and payload of NaNs.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/convert_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_partition.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_segments.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/normalized_index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

// The length of a row is an int64_t or a RowLength constant: 1 here, kTileRows
// in transposed_tiles.h. With a constant length, the loops below also compute
// and discard results for slices without an update: a branch per row would cost
// more.
template <int64_t kLength>
using RowLength = std::integral_constant<int64_t, kLength>;
template <typename Length>
constexpr bool kIsConstant = !std::is_same<Length, int64_t>::value;

// The initial value of a slice without include_self.
template <typename T, IndexReduce kReduce>
constexpr T ReduceIdentity() {
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

// sums = x, with the identity in the slices that the index names (mark > 0).
// sums may be x.
template <IndexReduce kReduce,
          typename Mark,
          typename Length,
          typename T,
          typename Sum>
void InitializeRows(const Mark* marks,
                    int64_t num_slices,
                    Length inner,
                    const T* x,
                    Sum* sums) {
  const Sum identity = ReduceIdentity<Sum, kReduce>();
  const bool in_place = static_cast<const void*>(x) == sums;
  SCATTER_OPS_IVDEP
  for (int64_t s = 0; s < num_slices; ++s) {
    const bool is_marked = marks[s] > 0;
    if (!kIsConstant<Length> && in_place && !is_marked) continue;
    for (int64_t l = 0; l < inner; ++l) {
      const int64_t i = s * inner + l;
      sums[i] = is_marked ? identity : WidenTo<Sum>(x[i]);
    }
  }
}

// Accumulates each row of updates into its slice in `sums`. Rows of variable
// length are prefetched; for constant lengths, out-of-order execution suffices.
// Entries is ChunkEntries or RangeEntries.
template <IndexReduce kReduce,
          typename Entries,
          typename Length,
          typename T,
          typename Sum>
void ReduceRows(const Entries& entries,
                Length inner,
                const T* updates,
                Sum* sums) {
  // About as many rows as are processed while a cache line arrives.
  constexpr int64_t kPrefetchDistance = 8;
  for (int64_t i = 0; i < entries.count; ++i) {
    if (!kIsConstant<Length> && i + kPrefetchDistance < entries.count) {
      PrefetchRow(sums + entries.slice(i + kPrefetchDistance) * inner, inner);
      PrefetchRow(updates + entries.entry(i + kPrefetchDistance) * inner,
                  inner);
    }
    const T* update = updates + entries.entry(i) * inner;
    Sum* sum = sums + entries.slice(i) * inner;
    if constexpr (std::is_same<Length, RowLength<1>>::value) {
      *sum = Combine<kReduce>(*sum, WidenTo<Sum>(*update));
    } else if constexpr (kIsConstant<Length>) {
      // Compilers vectorize this loop if it is not unrolled and its stores do
      // not alias its loads.
      alignas(64) Sum reduced[Length::value];
      SCATTER_OPS_NO_UNROLL
      for (int64_t l = 0; l < Length::value; ++l) {
        reduced[l] = Combine<kReduce>(sum[l], WidenTo<Sum>(update[l]));
      }
      std::copy_n(reduced, Length::value, sum);
    } else {
      SCATTER_OPS_IVDEP
      for (int64_t l = 0; l < inner; ++l) {
        sum[l] = Combine<kReduce>(sum[l], WidenTo<Sum>(update[l]));
      }
    }
  }
}

template <IndexReduce kReduce, typename Sum, typename Mark>
Sum FinalizeSum(Sum sum, Mark count) {
  if constexpr (kReduce == IndexReduce::kMean) {
    // The count is 0 for a slice without an update, whose result is discarded.
    return DivideByCount(sum, std::max<Mark>(1, count));
  } else {
    return sum;
  }
}

// Up to this length, rows are assigned without segments even if many of them
// are overwritten.
constexpr int64_t kMaxAssignRowBytes = 64;

template <typename T, IndexReduce kReduce>
class ShortRowReducer {
 public:
  explicit ShortRowReducer(const ReduceOperands<T>& operands)
      : operands_(operands),
        view_(operands.view),
        bytes_(view_.outer * (view_.size + operands.index.length()) *
               view_.inner * sizeof(T)) {}

  // Returns false, before anything is written, if segments are faster.
  bool Run() {
    const int64_t target_ranges = ChooseNumRanges();
    if (target_ranges == 0) return false;
    // From here on, out holds x and is reduced in place.
    ParallelCopy(operands_.out, operands_.x, view_.numel() * sizeof(T));
    ranges_ = PartitionSlices(operands_.index, target_ranges);
    if (NeedsMarks()) marks_ = MarkSlices<Mark>(operands_.index, ranges_);
    int64_t max_range_size = 0;
    for (const SliceRange& range : ranges_)
      max_range_size = std::max(max_range_size, range.size());
    const int64_t num_ranges = ranges_.size();
    const int64_t num_threads = NumThreadsFor(bytes_);
    const int64_t outer_step =
        std::max<int64_t>(1, view_.outer / (num_threads * kTasksPerThread));
    const int64_t num_tasks =
        (view_.outer + outer_step - 1) / outer_step * num_ranges;
    ParallelFor(num_threads, bytes_, [&](int64_t t) {
      const std::unique_ptr<Acc[]> sums(
          new Acc[kHasScratch ? max_range_size * view_.inner : 0]);
      for (int64_t i = num_tasks * t / num_threads;
           i < num_tasks * (t + 1) / num_threads;
           ++i) {
        const int64_t begin = i / num_ranges * outer_step;
        const int64_t end = std::min(view_.outer, begin + outer_step);
        // Not for int, whose rows are slower with AVX2.
        CallVectorizedIf<kIsHalf<T> || std::is_same<T, int64_t>::value>([&] {
          for (int64_t o = begin; o < end; ++o) {
            const SliceRange range = ranges_[i % num_ranges];
            view_.inner == 1 ? Reduce(o, range, RowLength<1>{}, sums.get())
                             : Reduce(o, range, view_.inner, sums.get());
          }
        });
      }
    });
    return true;
  }

 private:
  static constexpr bool kIsAssign = kReduce == IndexReduce::kAssign;
  static constexpr bool kIsMean = kReduce == IndexReduce::kMean;
  using Sum = ReduceType<T, kReduce>;
  using Mark = SliceMark<kReduce>;
  // If the accumulation type is not T, partial results are held in a scratch
  // accumulator per thread, which is rounded into out at the end.
  static constexpr bool kHasScratch = !std::is_same<Sum, T>::value;
  using Acc = std::conditional_t<kHasScratch, Sum, T>;
  // With scratch, unless inner is 1, segments are faster if a range has more
  // bytes of accumulators, or if there are more bytes per entry, since each
  // slice is converted.
  static constexpr int64_t kMaxScratchBytes = 8 << 20;
  static constexpr int64_t kMaxScratchBytesPerEntry = 128;
  static constexpr int64_t kTasksPerThread = 4;
  // Longer rows, in bytes of accumulators, use segments, which skip overwritten
  // updates and write each slice once.
  static constexpr int64_t kMaxRowBytes = 256;
  // The limit if few rows are written: in place with length <= size, or assign
  // with length <= size / 4.
  static constexpr int64_t kMaxFewRowsBytes = 4096;

  bool StartsFromX() const { return kIsAssign || operands_.include_self; }
  bool NeedsMarks() const { return kIsMean || !StartsFromX(); }

  // The number of ranges to partition the axis into, each of which costs a pass
  // over the index; 0 if segments are faster.
  int64_t ChooseNumRanges() const {
    const int64_t row_bytes = view_.inner * static_cast<int64_t>(sizeof(Acc));
    const int64_t n = operands_.index.length();
    // Mark must represent the number of entries plus one, for include_self.
    if (kIsMean && n >= std::numeric_limits<Mark>::max()) return 0;
    const bool writes_few_rows =
        kIsAssign
            ? n <= view_.size / 4
            : operands_.x == operands_.out && !kHasScratch && n <= view_.size;
    int64_t max_row_bytes = kMaxRowBytes;
    if (kIsAssign && n > view_.size) max_row_bytes = kMaxAssignRowBytes;
    if (writes_few_rows) max_row_bytes = kMaxFewRowsBytes;
    if (row_bytes > max_row_bytes) return 0;
    if ((kHasScratch || NeedsMarks()) && IsSparseIndex(operands_.index))
      return 0;
    const int64_t num_threads = NumThreadsFor(bytes_);
    const int64_t outer = view_.outer;
    // Whether the outer indices alone balance the load of the threads.
    const bool is_balanced =
        outer >= kTasksPerThread * num_threads || outer % num_threads == 0;
    // RangeEntries stores slices as int32_t.
    const bool can_partition =
        view_.size <= std::numeric_limits<int32_t>::max();
    const int64_t num_ranges =
        is_balanced || !can_partition ? 1 : std::min(view_.size, num_threads);
    if (!kHasScratch || view_.inner == 1) return num_ranges;
    const int64_t scratch_bytes = view_.size * row_bytes;
    const bool is_fast = scratch_bytes / num_ranges <= kMaxScratchBytes &&
                         scratch_bytes / kMaxScratchBytesPerEntry <= n;
    return is_fast ? num_ranges : 0;
  }

  template <typename Length>
  void Reduce(int64_t o, SliceRange range, Length inner, Acc* sums) const {
    const int64_t num_slices = range.size();
    T* out = operands_.out + (o * view_.size + range.begin) * inner;
    const Mark* marks = marks_ ? marks_.get() + range.begin : nullptr;
    if constexpr (!kHasScratch) sums = out;
    if (!StartsFromX()) {
      InitializeRows<kReduce>(marks, num_slices, inner, out, sums);
    } else if constexpr (kHasScratch) {
      for (int64_t i = 0; i < num_slices * inner; ++i) {
        sums[i] = WidenTo<Sum>(out[i]);
      }
    }
    const T* updates = operands_.updates + o * view_.length * inner;
    ForEachEntryList(operands_.index, range, [&](const auto& entries) {
      ReduceRows<kReduce>(entries, inner, updates, sums);
    });
    if constexpr (kIsMean || kHasScratch)
      FinalizeRows(marks, num_slices, inner, sums, out);
  }

  // out = the final values of `sums`, which may be out. Slices without an
  // update stay bitwise identical to x. Only means know which slices these are;
  // otherwise the round trip through Sum changes only NaNs, so x is kept if
  // both it and the sum are NaN.
  template <typename Length>
  void FinalizeRows(const Mark* marks,
                    int64_t num_slices,
                    Length inner,
                    const Sum* sums,
                    T* out) const {
    SCATTER_OPS_IVDEP
    for (int64_t s = 0; s < num_slices; ++s) {
      const Mark mark = kIsMean ? marks[s] : Mark{1};
      if (!kIsConstant<Length> && mark == 0) continue;
      for (int64_t l = 0; l < inner; ++l) {
        const int64_t i = s * inner + l;
        const Sum sum = sums[i];
        const T x = out[i];
        bool keeps_x = mark == 0;
        if constexpr (!kIsMean) {
          const Sum wide_x = WidenTo<Sum>(x);
          keeps_x = (sum != sum) & (wide_x != wide_x);
        }
        const Mark count = mark + operands_.include_self;
        const T result = RoundTo<T>(FinalizeSum<kReduce>(sum, count));
        out[i] = SelectVectorized(keeps_x, x, result);
      }
    }
  }

  const ReduceOperands<T>& operands_;
  const AxisView& view_;
  int64_t bytes_;
  std::vector<SliceRange> ranges_;
  std::unique_ptr<Mark[]> marks_;
};

// out = x with the updates reduced into it, if its rows are short; else returns
// false.
template <typename T, IndexReduce kReduce>
bool ReduceShortRows(const ReduceOperands<T>& operands) {
  // Complex factors have no identity to start from: 1 * (inf + 0i) has a NaN
  // component.
  const bool is_complex_product =
      kReduce == IndexReduce::kMul && IsComplexNumber<T>::value;
  if (is_complex_product && !operands.include_self) return false;
  return ShortRowReducer<T, kReduce>(operands).Run();
}

}  // namespace phi::funcs::scatter_ops
