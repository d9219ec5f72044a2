// Gradients of amax and amin without sorting the index, where a slice is one
// element. Results and those of SegmentDifferentiator are bitwise identical,
// except for the sign and payload of a NaN.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/convert_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_partition.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_segments.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/transposed_tiles.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

// Differentiates the slices of a range. The tensors start at the first slice of
// the range and at the first update.
template <typename Differentiator, typename T>
void DifferentiateElements(const NormalizedIndex& index,
                           SliceRange range,
                           bool include_self,
                           const IndexGradTensors<T>& at) {
  using Sum = typename Differentiator::Sum;
  const auto for_each_update = [&](const auto& f) {
    ForEachEntryList(index, range, [&](const auto& entries) {
      for (int64_t i = 0; i < entries.count; ++i) {
        f(entries.slice(i), entries.entry(i));
      }
    });
  };
  const auto x_is_extremum = [&](int64_t s) {
    return include_self & Differentiator::IsExtremum(at.x[s], at.out[s]);
  };
  // Adjacent, since the slices of updates are in random order.
  struct Extremum {
    T value;
    int32_t ties;
  };
  const std::unique_ptr<Extremum[]> extrema(new Extremum[range.size()]);
  for (int64_t s = 0; s < range.size(); ++s) {
    extrema[s] = {at.out[s], x_is_extremum(s)};
  }
  for_each_update([&](int64_t s, int64_t u) {
    const bool is_extremum =
        Differentiator::IsExtremum(at.updates[u], extrema[s].value);
    extrema[s].ties += is_extremum;
    if (at.updates_grad) at.updates_grad[u] = static_cast<T>(is_extremum);
  });
  const std::unique_ptr<T[]> shares(new T[range.size()]);
  for (int64_t s = 0; s < range.size(); ++s) {
    const auto ties = static_cast<Sum>(std::max(1, extrema[s].ties));
    shares[s] = RoundTo<T>(WidenTo<Sum>(at.out_grad[s]) / ties);
  }
  if (at.updates_grad) {
    const T zero{};
    for_each_update([&](int64_t s, int64_t u) {
      // Not a branch, which would be mispredicted.
      const T* const grad = at.updates_grad[u] == zero ? &zero : &shares[s];
      at.updates_grad[u] = *grad;
    });
  }
  if (!at.x_grad) return;
  for (int64_t s = 0; s < range.size(); ++s) {
    const bool x_ties = x_is_extremum(s);
    const T grad = SelectVectorized(x_ties, shares[s], T{});
    // Without an update, x is the only extremum if it counts, else there is
    // none.
    const bool has_update =
        (extrema[s].ties != x_ties) | (x_ties != include_self);
    at.x_grad[s] = SelectVectorized(has_update, grad, at.out_grad[s]);
  }
}

// The gradients of amax or amin if this is faster; else returns false.
template <typename Differentiator, typename T>
bool DifferentiateElementwise(const AxisView& view,
                              const NormalizedIndex& index,
                              bool include_self,
                              const IndexGradTensors<T>& tensors) {
  using Sum = typename Differentiator::Sum;
  // Ties and the slices of a range are int32_t.
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max() - 1;
  // Larger tiles of updates are slower, except for half types, which tiles
  // convert a row at a time.
  constexpr int64_t kMaxTileBytes = 4 << 20;
  const int64_t size = view.size;
  const int64_t n = view.length;
  const int64_t tile_bytes = n * kTileRows * static_cast<int64_t>(sizeof(Sum));
  const bool fits_in_tiles = kIsHalf<T> || tile_bytes <= kMaxTileBytes;
  if (view.inner != 1 || std::max(size, n) > kMax || IsSparseIndex(index) ||
      (fits_in_tiles && IsGradFasterTransposed<Sum>(view))) {
    return false;
  }
  const int64_t bytes =
      view.outer * (size + n) * static_cast<int64_t>(sizeof(T));
  const int64_t num_threads = NumThreadsFor(bytes);
  const int64_t target_ranges = view.outer % num_threads == 0 ? 1 : num_threads;
  const std::vector<SliceRange> ranges = PartitionSlices(index, target_ranges);
  const int64_t num_ranges = ranges.size();
  ParallelFor(view.outer * num_ranges, bytes, [&](int64_t i) {
    const SliceRange range = ranges[i % num_ranges];
    const int64_t o = i / num_ranges;
    CallVectorizedIf<kIsHalf<T>>([&] {
      DifferentiateElements<Differentiator>(
          index,
          range,
          include_self,
          tensors.At(o * size + range.begin, o * n));
    });
  });
  return true;
}

}  // namespace phi::funcs::scatter_ops
