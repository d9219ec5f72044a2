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

// The positions of an index that point into a range of slots, listed without
// sorting the index; counts of them; and ranges of about the same work.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

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

}  // namespace phi::funcs::scatter_ops
