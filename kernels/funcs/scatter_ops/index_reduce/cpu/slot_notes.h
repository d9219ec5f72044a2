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

// What a reduction of short rows notes of each slot before it starts.

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/row_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Row is what the rows of the slots are accumulated in.
template <typename T, IndexReduce kReduce, typename Row>
class SlotNotes {
 public:
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  // Whether totals are divided as floating point numbers.
  static constexpr bool kDivides = kMeans && std::is_floating_point<Row>::value;
  // How often the index has a slot, or whether it does.
  using MarkType = std::conditional_t<kMeans, int64_t, uint8_t>;

  void Mark(const IndexSlots& slots,
            const std::vector<SlotRange>& ranges,
            int64_t size) {
    marks_.Resize(size);
    const int64_t count = static_cast<int64_t>(ranges.size());
    const int64_t bytes =
        slots.length() * static_cast<int64_t>(sizeof(MarkType));
    ParallelFor(count, bytes, [&](int64_t r) {
      MarkSlots(slots, ranges[r], size, marks_.data() + ranges[r].begin);
    });
  }

  // Derives from the marks what means need besides them. Returns how many rows
  // of wide sums a range needs at most.
  int64_t Derive(const std::vector<SlotRange>& ranges,
                 int64_t size,
                 bool include_self) {
    include_self_ = include_self;
    NoteDivisors(size);
    return PlaceWideSums(ranges, size);
  }

  const MarkType* marks() const { return marks_.data(); }
  // Of slots, if kDivides: 0 without an update.
  const Row* divisors() const { return divisors_.data(); }
  // Whether any slot is added up in wide sums; whether this one is; the row
  // that it has there, counted from the first in its range.
  bool widens() const { return widens_; }
  bool IsWide(int64_t slot) const {
    return kWidens && SumsWide<T, kReduce>(marks_[slot] + include_self_);
  }
  int64_t wide_row(int64_t slot) const { return wide_rows_[slot]; }

 private:
  // Slots with many updates are added up in WideSum. Integers always are: their
  // Sum is that.
  static constexpr bool kWidens =
      kMeans && !std::is_integral<T>::value &&
      !std::is_same<typename WideSumOf<T>::type, T>::value;

  // Converting a count costs about as much as dividing by it, and each is
  // needed for every row of x.
  void NoteDivisors(int64_t size) {
    if constexpr (kDivides) {
      divisors_.Resize(size);
      for (int64_t slot = 0; slot < size; ++slot) {
        const int64_t count = marks_[slot] + include_self_;
        divisors_[slot] = static_cast<Row>(marks_[slot] > 0 ? count : 0);
      }
    }
  }

  int64_t PlaceWideSums(const std::vector<SlotRange>& ranges, int64_t size) {
    int64_t most = 0;
    for (const SlotRange& range : ranges) {
      int64_t wide = 0;
      for (int64_t slot = range.begin; kWidens && slot < range.end; ++slot) {
        if (!IsWide(slot)) continue;
        if (most == 0 && wide == 0) wide_rows_.Resize(size);
        wide_rows_[slot] = wide++;
      }
      most = std::max(most, wide);
    }
    widens_ = most > 0;
    return most;
  }

  WorkArray<MarkType> marks_;
  WorkArray<Row> divisors_;
  WorkArray<int64_t> wide_rows_;
  bool include_self_ = false;
  bool widens_ = false;
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
