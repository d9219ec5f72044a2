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

// The entries of a chunk of the index if the range is the whole axis. It has
// the interface of RangeEntries.
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
// Offset must represent every slice of the axis: AppendVectors compares slices
// outside the range in this type too.
template <typename Offset>
struct RangeEntries {
  static constexpr int64_t kCapacity = 4096;
  static constexpr int64_t kChunk = 512;  // entries per Append
  int64_t first = 0;                      // entries are relative to it
  int64_t count = 0;
  Offset slices[kCapacity];
  Offset entries[kCapacity];

  int64_t slice(int64_t i) const { return slices[i]; }
  int64_t entry(int64_t i) const { return first + entries[i]; }

  bool IsFull(int64_t at) const {
    return count > kCapacity - kChunk ||
           at - first > std::numeric_limits<Offset>::max() - kChunk;
  }

  // Appends those of the `n` entries from `at` on, with slices `from`, that lie
  // in the range. Branchless: the index is unpredictable.
  void Append(SliceRange range, int64_t at, const int64_t* from, int64_t n) {
    if (count == 0) first = at;
    const uint64_t range_size = range.size();
    int64_t i = 0;
#ifdef SCATTER_OPS_AVX2
    if constexpr (std::is_same<Offset, int32_t>::value) {
      if (HasAvx2()) i = AppendVectors(range, at, from, n);
    }
#endif
    int64_t size = count;
    for (; i < n; ++i) {
      const uint64_t slice = static_cast<uint64_t>(from[i] - range.begin);
      slices[size] = static_cast<Offset>(slice);
      entries[size] = static_cast<Offset>(at - first + i);
      size += slice < range_size;
    }
    count = size;
  }

#ifdef SCATTER_OPS_AVX2
  // Append for a multiple of eight entries; returns how many it processed.
  // Moves the entries in range to the front of a vector and stores all of it.
  SCATTER_OPS_TARGET int64_t AppendVectors(SliceRange range,
                                           int64_t at,
                                           const int64_t* from,
                                           int64_t n) {
    const __m256i begin = Set(range.begin);
    const __m256i end = Set(range.end);
    int64_t size = count;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
      Prefetch(from + i + kChunk);
      const __m256i slice = LoadLow(from + i);
      const __m256i inside = _mm256_andnot_si256(
          _mm256_cmpgt_epi32(begin, slice), _mm256_cmpgt_epi32(end, slice));
      const int bits = _mm256_movemask_ps(_mm256_castsi256_ps(inside));
      const __m256i lanes =
          _mm256_cvtepu8_epi32(LaneBytes(kLaneTables.compress[bits]));
      Store(slices + size,
            _mm256_permutevar8x32_epi32(_mm256_sub_epi32(slice, begin), lanes));
      Store(entries + size, _mm256_add_epi32(lanes, Set(at - first + i)));
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
    const auto* from = reinterpret_cast<const float*>(in);
    const __m256 low = _mm256_shuffle_ps(
        _mm256_loadu_ps(from), _mm256_loadu_ps(from + 8), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(low), 0xD8);
  }

  SCATTER_OPS_INLINE void Store(int32_t* to, __m256i values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  }
#endif
};

// Calls f with lists of the entries in `range`, in the order of the index.
// `size` is the number of all slices.
template <typename Offset, typename F>
void ForEachEntryList(const NormalizedIndex& index,
                      SliceRange range,
                      int64_t size,
                      const F& f) {
  if (range.size() == size) {
    index.ForEachChunk([&f](int64_t at, const int64_t* slices, int64_t n) {
      f(ChunkEntries{at, slices, n});
    });
    return;
  }
  RangeEntries<Offset> list;
  const auto append = [&](int64_t at, const int64_t* slices, int64_t n) {
    list.Append(range, at, slices, n);
    if (!list.IsFull(at + n)) return;
    f(list);
    list.count = 0;
  };
  index.ForEachChunk(append, RangeEntries<Offset>::kChunk);
  if (list.count > 0) f(list);
}

// Per slice, the number of entries that name it (for means), or whether any
// does. Counts are int32_t, since AVX2 converts int32_t but not int64_t to
// floating point: for a mean, the index must have fewer than 2^31 - 1 entries.
template <IndexReduce kReduce, typename Offset>
class SliceMarks {
 public:
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  using Mark = std::conditional_t<kMeans, int32_t, uint8_t>;

  void Make(const NormalizedIndex& index,
            int64_t size,
            const std::vector<SliceRange>& ranges) {
    marks_.reset(new Mark[size]);
    ParallelFor(ranges.size(), index.length() * sizeof(Mark), [&](int64_t r) {
      const SliceRange range = ranges[r];
      Mark* marks = marks_.get() + range.begin;
      std::fill_n(marks, range.size(), Mark{0});
      ForEachEntryList<Offset>(index, range, size, [marks](const auto& list) {
        for (int64_t i = 0; i < list.count; ++i) {
          Mark& mark = marks[list.slice(i)];
          mark = kMeans ? mark + 1 : 1;
        }
      });
    });
  }

  // Null if there are no marks.
  const Mark* at(int64_t slice) const {
    return marks_ ? marks_.get() + slice : nullptr;
  }

 private:
  std::unique_ptr<Mark[]> marks_;
};

// Cuts the slices into ranges of at most max_slices with about equal numbers of
// rows to read and write, estimated from samples of the index. The cuts do not
// affect results. A single range is not cut.
inline std::vector<SliceRange> CutSlices(const NormalizedIndex& index,
                                         int64_t size,
                                         int64_t ranges,
                                         int64_t max_slices) {
  if (ranges == 1) return {{0, size}};
  constexpr int64_t kSamples = 64;  // per range
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
  std::vector<SliceRange> cut;
  int64_t begin = 0;
  for (int64_t r = 1; r <= ranges; ++r) {
    const int64_t end = r < ranges ? samples[r * kSamples] : size;
    for (; end - begin > max_slices; begin += max_slices) {
      cut.push_back({begin, begin + max_slices});
    }
    if (end > begin) cut.push_back({begin, end});
    begin = end;
  }
  return cut;
}

}  // namespace phi::funcs::scatter_ops
