// Partitions of an index by ranges of slices, without sorting it: ranges of
// about equal work, the entries in each range, and counts per slice.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/normalized_index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"

namespace phi::funcs::scatter_ops {

// Slices [begin, end).
struct SliceRange {
  int64_t begin, end;

  int64_t size() const { return end - begin; }
};

// The entries of a chunk of the index, for a range that is the whole axis. It
// has the interface of RangeEntries.
struct ChunkEntries {
  int64_t first;
  const int64_t* slices;
  int64_t count;

  int64_t slice(int64_t i) const { return slices[i]; }
  int64_t entry(int64_t i) const { return first + i; }
};

// The entries of some chunks that lie in a range of slices, with slices
// relative to its begin. The capacity amortizes the cache misses of alternating
// between the index and the rows; 32-bit storage keeps the list in the caches.
// AppendVectors compares the low 32 bits of every slice, so the axis must have
// fewer than 2^31 slices.
struct RangeEntries {
  static constexpr int64_t kCapacity = 4096;
  static constexpr int64_t kMaxAppend = 512;  // entries per Append
  int64_t first = 0;                          // `entries` are relative to it
  int64_t count = 0;
  int32_t slices[kCapacity];
  int32_t entries[kCapacity];

  int64_t slice(int64_t i) const { return slices[i]; }
  int64_t entry(int64_t i) const { return first + entries[i]; }

  bool IsFull(int64_t next) const {
    return count > kCapacity - kMaxAppend ||
           next - first > std::numeric_limits<int32_t>::max() - kMaxAppend;
  }

  // Appends the entries that lie in the range, of the `n` entries from
  // `begin` on, which name the slices `in`. Branchless: the index is
  // unpredictable.
  void Append(SliceRange range, int64_t begin, const int64_t* in, int64_t n) {
    if (count == 0) first = begin;
    const uint64_t range_size = range.size();
    int64_t i = 0;
#ifdef SCATTER_OPS_AVX2
    if (HasAvx2()) i = AppendVectors(range, begin, in, n);
#endif
    int64_t size = count;
    for (; i < n; ++i) {
      const uint64_t slice = static_cast<uint64_t>(in[i] - range.begin);
      slices[size] = static_cast<int32_t>(slice);
      entries[size] = static_cast<int32_t>(begin - first + i);
      size += slice < range_size;
    }
    count = size;
  }

#ifdef SCATTER_OPS_AVX2
  // Append for a multiple of eight entries; returns how many it processed.
  // Moves the entries in range to the front of a vector and stores all of it.
  SCATTER_OPS_TARGET int64_t AppendVectors(SliceRange range,
                                           int64_t begin,
                                           const int64_t* in,
                                           int64_t n) {
    const __m256i range_begin = Set(range.begin);
    const __m256i range_end = Set(range.end);
    int64_t size = count;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      Prefetch(in + i + kMaxAppend);
      const __m256i slice = LoadLow(in + i);
      const __m256i inside =
          _mm256_andnot_si256(_mm256_cmpgt_epi32(range_begin, slice),
                              _mm256_cmpgt_epi32(range_end, slice));
      const int bits = _mm256_movemask_ps(_mm256_castsi256_ps(inside));
      const __m256i lanes =
          _mm256_cvtepu8_epi32(LaneBytes(kLaneTables.compress[bits]));
      Store(slices + size,
            _mm256_permutevar8x32_epi32(_mm256_sub_epi32(slice, range_begin),
                                        lanes));
      Store(entries + size, _mm256_add_epi32(lanes, Set(begin - first + i)));
      size += __builtin_popcount(bits);
    }
    count = size;
    return i;
  }

  SCATTER_OPS_INLINE __m256i Set(int64_t value) {
    return _mm256_set1_epi32(static_cast<int32_t>(value));
  }

  // The low 32 bits of eight integers.
  SCATTER_OPS_INLINE __m256i LoadLow(const int64_t* in) {
    const auto* halves = reinterpret_cast<const float*>(in);
    const __m256 low = _mm256_shuffle_ps(
        _mm256_loadu_ps(halves), _mm256_loadu_ps(halves + 8), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(low), 0xD8);
  }

  SCATTER_OPS_INLINE void Store(int32_t* to, __m256i values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  }
#endif
};

// Calls f with lists of the entries in `range`, in the order of the index.
template <typename F>
void ForEachEntryList(const NormalizedIndex& index,
                      SliceRange range,
                      const F& f) {
  if (range.size() == index.size()) {
    index.ForEachChunk([&f](int64_t begin, const int64_t* slices, int64_t n) {
      f(ChunkEntries{begin, slices, n});
    });
    return;
  }
  RangeEntries list;
  const auto append = [&](int64_t begin, const int64_t* slices, int64_t n) {
    list.Append(range, begin, slices, n);
    if (!list.IsFull(begin + n)) return;
    f(list);
    list.count = 0;
  };
  index.ForEachChunk(append, RangeEntries::kMaxAppend);
  if (list.count > 0) f(list);
}

// For means, the number of entries that name a slice, else whether any does.
// int32_t, since AVX2 converts it to floating point but not int64_t: for a
// mean, which may count x too, the index must have fewer than 2^31 - 1 entries.
template <IndexReduce kReduce>
using SliceMark =
    std::conditional_t<kReduce == IndexReduce::kMean, int32_t, uint8_t>;

template <typename Mark>
std::unique_ptr<Mark[]> MarkSlices(const NormalizedIndex& index,
                                   const std::vector<SliceRange>& ranges) {
  std::unique_ptr<Mark[]> marks(new Mark[index.size()]);
  // Each range reads the whole index.
  const int64_t bytes = index.length() * static_cast<int64_t>(sizeof(int64_t));
  ParallelFor(ranges.size(), bytes, [&](int64_t r) {
    const SliceRange range = ranges[r];
    Mark* const first = marks.get() + range.begin;
    std::fill_n(first, range.size(), Mark{0});
    ForEachEntryList(index, range, [first](const auto& entries) {
      for (int64_t i = 0; i < entries.count; ++i) {
        Mark& mark = first[entries.slice(i)];
        mark = std::is_same<Mark, uint8_t>::value ? 1 : mark + 1;
      }
    });
  });
  return marks;
}

// Partitions the slices into at most num_ranges ranges of about equal work,
// which is estimated from a sample of the index. The result of the reduction
// does not depend on the partition.
inline std::vector<SliceRange> PartitionSlices(const NormalizedIndex& index,
                                               int64_t num_ranges) {
  const int64_t size = index.size();
  if (num_ranges == 1) return {{0, size}};
  constexpr int64_t kSamplesPerRange = 64;
  const int64_t n = index.length();
  const int64_t num_samples = kSamplesPerRange * num_ranges;
  const int64_t num_index_samples = num_samples * n / (n + size);
  std::vector<int64_t> samples(num_samples);
  for (int64_t i = 0; i < num_samples; ++i) {
    if (i < num_index_samples) {
      samples[i] = *index.Read(n * i / num_index_samples, 1, &samples[i]);
    } else {
      samples[i] =
          size * (i - num_index_samples) / (num_samples - num_index_samples);
    }
  }
  std::sort(samples.begin(), samples.end());
  std::vector<SliceRange> ranges;
  int64_t begin = 0;
  for (int64_t r = 1; r <= num_ranges; ++r) {
    const int64_t end = r < num_ranges ? samples[r * kSamplesPerRange] : size;
    if (end > begin) ranges.push_back({begin, end});
    begin = end;
  }
  return ranges;
}

}  // namespace phi::funcs::scatter_ops
