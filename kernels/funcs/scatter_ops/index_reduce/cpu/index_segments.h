// The entries of an index sorted by the slice that they name, and parallel
// loops over the resulting segments.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/normalized_index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

// The index in CSR form. Segment g holds entries permutation[offsets[g]] to
// permutation[offsets[g + 1] - 1] of the index, ascending, all of which name
// slices[g]. Slices ascend; a slice that no entry names has no segment.
struct IndexSegments {
  std::vector<int64_t> slices;
  std::vector<int64_t> offsets;
  std::vector<int64_t> permutation;

  int64_t count() const { return static_cast<int64_t>(slices.size()); }
  int64_t num_entries() const {
    return static_cast<int64_t>(permutation.size());
  }
  int64_t size(int64_t g) const { return offsets[g + 1] - offsets[g]; }
  const int64_t* begin(int64_t g) const {
    return permutation.data() + offsets[g];
  }
  const int64_t* end(int64_t g) const {
    return permutation.data() + offsets[g + 1];
  }
  // About as many entries as are processed while a cache line arrives.
  static constexpr int64_t kPrefetchDistance = 8;
  // The entry to prefetch while `entry` is processed; at the end, `entry`.
  const int64_t* EntryToPrefetch(const int64_t* entry) const {
    const int64_t* last = permutation.data() + permutation.size();
    return last - entry > kPrefetchDistance ? entry + kPrefetchDistance : entry;
  }
};

// Counting sort, in time linear in index.length() + index.size(). The final
// offset is left to the caller.
inline void CountingSortSegments(const NormalizedIndex& index,
                                 IndexSegments* segments) {
  // First the number of entries of each slice, then its next write offset.
  std::vector<int64_t> next(index.size(), 0);
  index.ForEach([&](int64_t, int64_t slice) { ++next[slice]; });
  int64_t sum = 0;
  for (int64_t slice = 0; slice < index.size(); ++slice) {
    const int64_t count = next[slice];
    next[slice] = sum;
    if (count == 0) continue;
    segments->slices.push_back(slice);
    segments->offsets.push_back(sum);
    sum += count;
  }
  segments->permutation.resize(sum);
  index.ForEach([&](int64_t entry, int64_t slice) {
    segments->permutation[next[slice]++] = entry;
  });
}

// Comparison sort, in time independent of index.size(): for a sparse index. The
// final offset is left to the caller.
inline void SortSegments(const NormalizedIndex& index,
                         IndexSegments* segments) {
  std::vector<std::pair<int64_t, int64_t>> sorted;
  sorted.reserve(index.length());
  index.ForEach(
      [&](int64_t entry, int64_t slice) { sorted.emplace_back(slice, entry); });
  std::sort(sorted.begin(), sorted.end());
  segments->permutation.reserve(sorted.size());
  for (const auto& [slice, entry] : sorted) {
    if (segments->slices.empty() || segments->slices.back() != slice) {
      segments->slices.push_back(slice);
      segments->offsets.push_back(segments->num_entries());
    }
    segments->permutation.push_back(entry);
  }
}

// True if visiting each slice costs more than sorting the entries.
inline bool IsSparseIndex(const NormalizedIndex& index) {
  constexpr int64_t kMaxVisitsPerEntry = 64;
  return index.size() / kMaxVisitsPerEntry > index.length();
}

inline IndexSegments BuildSegments(const NormalizedIndex& index) {
  IndexSegments segments;
  if (IsSparseIndex(index)) {
    SortSegments(index, &segments);
  } else {
    CountingSortSegments(index, &segments);
  }
  segments.offsets.push_back(segments.num_entries());
  return segments;
}

// Segments for assign, which hold only the last entry of each slice.
inline IndexSegments BuildAssignSegments(const NormalizedIndex& index) {
  std::vector<int64_t> last(index.size(), -1);
  index.ForEach([&](int64_t entry, int64_t slice) { last[slice] = entry; });
  IndexSegments segments;
  for (int64_t slice = 0; slice < index.size(); ++slice) {
    if (last[slice] < 0) continue;
    segments.offsets.push_back(segments.count());
    segments.slices.push_back(slice);
    segments.permutation.push_back(last[slice]);
  }
  segments.offsets.push_back(segments.count());
  return segments;
}

// Inner elements of a slice that are processed at a time: their accumulators
// fit into the L1 cache, except complex128.
constexpr int64_t kMaxInner = 2048;

// Copies the slices without a segment from `from` to `to`, unless these are the
// same or both null. Calls f(g, x_offset, updates_offset, n) in parallel for
// each block of n <= kMaxInner inner elements of segment g, for each outer
// index. A block starts at x_offset in `from` and `to`, and at updates_offset +
// entry * view.inner in the updates.
template <typename T, typename F>
void ForEachSegment(const AxisView& view,
                    const IndexSegments& segments,
                    const T* from,
                    T* to,
                    const F& f) {
  const int64_t bytes = view.numel() * static_cast<int64_t>(sizeof(T));
  // If most slices have a segment, each task also copies the slices between
  // its segments. Copying all of `from` first takes 1.5 to 2.2 times as long
  // (4096x4096 float32, without page faults).
  const bool fuse_copy = from != to && segments.count() > view.size / 2;
  if (from != to && !fuse_copy) ParallelCopy(to, from, bytes);
  if (segments.count() == 0) return;

  // Tasks of about equal size partition the outer indices, the segments into
  // ranges, and the inner elements. The entries of a segment are never split.
  constexpr int64_t kTaskBytes = 256 << 10;
  constexpr int64_t kTasksPerThread = 8;
  constexpr int64_t kMinInner = 64;
  const int64_t num_entries = segments.num_entries();
  const int64_t bytes_accessed = (num_entries + segments.count()) * view.outer *
                                 view.inner * static_cast<int64_t>(sizeof(T));
  const int64_t target_tasks = std::min<int64_t>(
      bytes_accessed / kTaskBytes + 1, NumThreads() * kTasksPerThread);
  const int64_t outer_step = std::max<int64_t>(1, view.outer / target_tasks);
  const int64_t num_outer = (view.outer + outer_step - 1) / outer_step;
  const int64_t num_ranges = std::max<int64_t>(1, target_tasks / num_outer);
  const auto& offsets = segments.offsets;
  std::vector<int64_t> bounds{0};  // range r: segments [bounds[r], bounds[r+1])
  int64_t max_entries = 0;         // in the largest range
  for (int64_t r = 1; r <= num_ranges; ++r) {
    const auto bound = std::lower_bound(offsets.begin() + bounds.back(),
                                        offsets.end(),
                                        num_entries * r / num_ranges);
    bounds.push_back(bound - offsets.begin());
    max_entries =
        std::max(max_entries, offsets[bounds[r]] - offsets[bounds[r - 1]]);
  }
  // Splits inner to reach target_tasks, and to split a range of several average
  // tasks. Finer splits would shorten the rows that a task accesses.
  const int64_t num_parts =
      std::max(target_tasks / (num_outer * num_ranges),
               max_entries * target_tasks / 2 / (num_entries * num_outer));
  const int64_t num_inner =
      std::max<int64_t>(1, std::min(num_parts, view.inner / kMinInner));

  const int64_t num_tasks = num_outer * num_ranges * num_inner;
  ParallelFor(num_tasks, bytes_accessed, [&](int64_t i) {
    const int64_t part = i % num_inner;
    const int64_t range = i / num_inner % num_ranges;
    const int64_t outer_begin = i / num_inner / num_ranges * outer_step;
    const int64_t outer_end = std::min(view.outer, outer_begin + outer_step);
    const int64_t begin = bounds[range];
    const int64_t end = bounds[range + 1];
    const int64_t inner_begin = view.inner * part / num_inner;
    const int64_t inner_end = view.inner * (part + 1) / num_inner;
    const int64_t width = inner_end - inner_begin;
    const auto copy_slices = [&](int64_t o, int64_t slice, int64_t slice_end) {
      // Whole slices are contiguous.
      const int64_t step = width == view.inner ? slice_end - slice : 1;
      for (; slice < slice_end; slice += step) {
        const int64_t offset =
            (o * view.size + slice) * view.inner + inner_begin;
        CopyPart(to + offset, from + offset, step * width * sizeof(T), bytes);
      }
    };
    for (int64_t o = outer_begin; o < outer_end; ++o) {
      const int64_t updates_offset = o * view.length * view.inner;
      for (int64_t g = begin; g < end; ++g) {
        const int64_t slice = segments.slices[g];
        if (fuse_copy)
          copy_slices(o, g == 0 ? 0 : segments.slices[g - 1] + 1, slice);
        const int64_t x_offset = (o * view.size + slice) * view.inner;
        for (int64_t l = inner_begin; l < inner_end; l += kMaxInner) {
          const int64_t n = std::min(kMaxInner, inner_end - l);
          f(g, x_offset + l, updates_offset + l, n);
        }
      }
      // The task of the last segment also copies the slices after it.
      if (fuse_copy && begin < end && end == segments.count()) {
        copy_slices(o, segments.slices.back() + 1, view.size);
      }
    }
  });
}

}  // namespace phi::funcs::scatter_ops
