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

// Lists of the positions of an index that point into a range of slots.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/lane_tables.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Positions and their slots, counted from the first of the range. Two kinds: a
// chunk of an index whose range is all slots ...
class WholeList {
 public:
  static constexpr bool kSkips = false;

  WholeList(int64_t first, const int64_t* slots, int64_t count)
      : first_(first), slots_(slots), count_(count) {}

  int64_t count() const { return count_; }
  int64_t slot(int64_t i) const { return slots_[i]; }
  int64_t position(int64_t i) const { return first_ + i; }

 private:
  int64_t first_;
  const int64_t* slots_;
  int64_t count_;
};

// ... and those of some chunks that point into a range. Long, for each turn
// from the index to the rows of a list waits for memory, and narrow, so that
// the caches have room for it.
class OwnedList {
 public:
  static constexpr int64_t kMostSlots = INT32_MAX;  // of a range
  static constexpr bool kSkips = true;

  // The index points to `size` slots, of which the list is for a range.
  OwnedList(const IndexSlots& index, SlotRange range, int64_t size)
      : index_(index),
        range_(range),
        by_eight_(size <= INT32_MAX && HasAvx2()) {}

  int64_t count() const { return count_; }
  int64_t slot(int64_t i) const { return slots_[i]; }
  int64_t position(int64_t i) const { return first_ + positions_[i]; }

  void Clear() { count_ = 0; }

  // Whether there is room for a chunk from position `at` on.
  bool HasRoom(int64_t at) const {
    return count_ <= kRoom - kChunk && at - first_ <= INT32_MAX - kChunk;
  }

  // Appends what `n` positions from `at` on, which have these slots, point to.
  void Append(int64_t at, const int64_t* slots, int64_t n) {
    if (count_ == 0) first_ = at;
    int64_t i = 0;
#ifdef SCATTER_OPS_AVX2
    if (by_eight_) i = AppendByEight(at, slots, n);
#endif
    AppendOneByOne(at, slots, i, n);
  }

 private:
  static constexpr int64_t kChunk = IndexSlots::kChunk;
  static constexpr int64_t kRoom = 4096;
  static constexpr int64_t kStep = 8;

  // Without a branch, which a random index would make costly, and with the
  // count in a register.
  void AppendOneByOne(int64_t at, const int64_t* slots, int64_t i, int64_t n) {
    const uint64_t begin = range_.begin;
    const uint64_t size = range_.size();
    const int32_t offset = static_cast<int32_t>(at - first_);
    int64_t found = count_;
    for (; i < n; ++i) {
      const uint64_t slot = static_cast<uint64_t>(slots[i]) - begin;
      slots_[found] = static_cast<int32_t>(slot);
      positions_[found] = offset + static_cast<int32_t>(i);
      found += slot < size;
    }
    count_ = found;
  }

#ifdef SCATTER_OPS_AVX2
  // The same, which leaves fewer than eight. What is found moves to the front
  // of a vector, all of which is stored.
  SCATTER_OPS_TARGET int64_t AppendByEight(int64_t at,
                                           const int64_t* slots,
                                           int64_t n) {
    const __m256i begin = Set(range_.begin);
    // The order of signed numbers becomes that of unsigned ones.
    const __m256i flip = Set(INT32_MIN);
    const __m256i end = _mm256_xor_si256(Set(range_.size()), flip);
    int64_t found = count_;
    int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
      index_.FetchEight(at + i + kChunk);
      const __m256i slot = _mm256_sub_epi32(LoadLow(slots + i), begin);
      const __m256i inside =
          _mm256_cmpgt_epi32(end, _mm256_xor_si256(slot, flip));
      const int bits = _mm256_movemask_ps(_mm256_castsi256_ps(inside));
      const __m256i lanes =
          _mm256_cvtepu8_epi32(LaneBytes(kLaneTables.compress[bits]));
      Store(slots_ + found, _mm256_permutevar8x32_epi32(slot, lanes));
      Store(positions_ + found, _mm256_add_epi32(lanes, Set(at - first_ + i)));
      found += __builtin_popcount(bits);
    }
    count_ = found;
    return i;
  }

  SCATTER_OPS_STEP __m256i Set(int64_t value) {
    return _mm256_set1_epi32(static_cast<int32_t>(value));
  }

  // The low halves of eight words.
  SCATTER_OPS_STEP __m256i LoadLow(const int64_t* words) {
    const auto* from = reinterpret_cast<const float*>(words);
    const __m256 low = _mm256_shuffle_ps(
        _mm256_loadu_ps(from), _mm256_loadu_ps(from + kStep), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(low), 0xD8);
  }

  SCATTER_OPS_STEP void Store(int32_t* to, __m256i values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
  }
#endif

  const IndexSlots& index_;
  SlotRange range_;
  bool by_eight_;      // all slots have 32 bits then
  int64_t first_ = 0;  // positions are counted from here
  int64_t count_ = 0;
  int32_t slots_[kRoom];
  int32_t positions_[kRoom];
};

// f(list) for lists of all positions that point into a range of `size` slots,
// in the order of the index.
template <typename F>
void ForEachList(const IndexSlots& index,
                 SlotRange range,
                 int64_t size,
                 const F& f) {
  if (range.begin == 0 && range.end == size) {
    index.ForEachChunk(
        0, index.length(), [&f](int64_t at, const int64_t* slots, int64_t n) {
          f(WholeList(at, slots, n));
        });
    return;
  }
  OwnedList list(index, range, size);
  index.ForEachChunk(
      0, index.length(), [&](int64_t at, const int64_t* slots, int64_t n) {
        list.Append(at, slots, n);
        if (list.HasRoom(at + n)) return;
        f(list);
        list.Clear();
      });
  if (list.count() > 0) f(list);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
