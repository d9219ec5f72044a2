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

// Reductions of short rows along the first axis, without grouping the index:
// updates are read once, in the order in which they lie in memory, and slots
// are written wherever the index points. out has big pages, updates may not,
// so that this is the cheaper side to be random on. Each thread owns a range of
// slots and passes over all of the index: no atomics, and a slot gets its
// updates in the order of the index, with the same bits as a group of them.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename T, IndexReduce kReduce>
class DirectReducer {
 public:
  DirectReducer(const AxisView& view,
                const std::vector<int64_t>& slots,
                bool include_self,
                const T* x,
                const T* updates,
                T* out)
      : inner_(view.inner),
        size_(view.size),
        bytes_(Bytes(view, static_cast<int64_t>(slots.size()))),
        slots_(slots),
        include_self_(include_self),
        x_(x),
        updates_(updates),
        out_(out) {}

  bool Serves(const AxisView& view) const {
    const int64_t n = static_cast<int64_t>(slots_.size());
    if (!kKnown || view.outer != 1 || HasFewPositions(n, view.size)) {
      return false;
    }
    if (kMayOverflow && (x_ == out_ || updates_ == out_)) return false;
    // Assigning by groups writes each slot once, which pays for finding the
    // last position of each, unless the call is small.
    if (kAssigns) return Bytes(view, n) < kParallelBytes;
    return view.inner * kItem <= kRowBytes;
  }

  // False if a sum has overflowed: then out holds nothing of use, and x and
  // updates, which do not share its memory, are to be reduced in another way.
  bool Run() {
    if constexpr (kKnown) {
      Count();
      PlaceWideSums();
      Cut(bytes_ < kParallelBytes ? 1 : NumThreads());
      const int64_t ranges = static_cast<int64_t>(cuts_.size()) - 1;
      ParallelFor(
          ranges, bytes_, [&](int64_t r) { Range(cuts_[r], cuts_[r + 1]); });
    }
    return !overflowed_;
  }

 private:
  using WideSum = typename WideSumOf<T>::type;
  static constexpr bool kAssigns = kReduce == IndexReduce::kAssign;
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  // A sum of int64 is exact until it overflows, which is noticed.
  static constexpr bool kMayOverflow =
      kMeans && std::is_same<T, int64_t>::value;
  // Partial results are kept in out, so T must be the type that they are
  // accumulated in.
  static constexpr bool kKnown =
      kAssigns ||
      (std::is_same<typename ReduceType<T, kReduce>::type, T>::value &&
       (kMayOverflow || !SumsWide<T, kReduce>(1)) &&
       !(kReduce == IndexReduce::kMul && IsComplexNumber<T>::value));
  static constexpr int64_t kItem = sizeof(T);
  // Reading longer rows in random order costs little more than in order.
  static constexpr int64_t kRowBytes = 1024;

  // The bytes of the rows that are read and written.
  static int64_t Bytes(const AxisView& view, int64_t n) {
    return (view.size + n) * view.inner * kItem;
  }

  void Count() {
    if (kAssigns) return;
    counts_.assign(size_, 0);
    for (const int64_t slot : slots_) ++counts_[slot];
  }

  bool IsWide(int64_t slot) const {
    return SumsWide<T, kReduce>(counts_[slot] + include_self_);
  }

  // Gives slots with many updates a row of wide_sums_; the sums of the others
  // are kept in out.
  void PlaceWideSums() {
    if (!kMeans || kMayOverflow) return;
    int64_t wide = 0;
    for (int64_t slot = 0; slot < size_; ++slot) {
      if (!IsWide(slot)) continue;
      if (wide == 0) wide_rows_.resize(size_);
      wide_rows_[slot] = wide++;
    }
    wide_sums_.resize(wide * inner_);
  }

  bool HasWideSum(int64_t slot) const {
    return kMeans && !wide_rows_.empty() && IsWide(slot);
  }

  WideSum* WideRow(int64_t slot) {
    return wide_sums_.data() + wide_rows_[slot] * inner_;
  }

  // Ranges of slots with about the same number of rows to read and write.
  void Cut(int64_t ranges) {
    const int64_t all = size_ + static_cast<int64_t>(slots_.size());
    cuts_ = {0};
    int64_t rows = 0;
    for (int64_t slot = 0; ranges > 1 && slot < size_; ++slot) {
      rows += 1 + counts_[slot];
      const int64_t cut = static_cast<int64_t>(cuts_.size());
      if (cut < ranges && rows >= all / ranges * cut) cuts_.push_back(slot + 1);
    }
    if (cuts_.back() != size_) cuts_.push_back(size_);
  }

  void Range(int64_t begin, int64_t end) {
    Start(begin, end);
    StartWideSums(begin, end);
    Reduce(begin, end);
    Finish(begin, end);
  }

  // Slots [begin, end) with what is reduced first; untouched ones are copied.
  void Start(int64_t begin, int64_t end) const {
    if (include_self_ || kAssigns) return CopyRows(begin, end);
    int64_t done = begin;
    for (int64_t slot = begin; slot < end; ++slot) {
      if (counts_[slot] == 0) continue;
      CopyRows(done, slot);
      std::fill_n(out_ + slot * inner_, inner_, IdentityOf<T, kReduce>());
      done = slot + 1;
    }
    CopyRows(done, end);
  }

  void StartWideSums(int64_t begin, int64_t end) {
    if (wide_rows_.empty()) return;
    for (int64_t slot = begin; slot < end; ++slot) {
      if (IsWide(slot)) AddWide(out_ + slot * inner_, WideRow(slot));
    }
  }

  void CopyRows(int64_t begin, int64_t end) const {
    if (x_ == out_ || begin == end) return;
    std::memcpy(static_cast<void*>(out_ + begin * inner_),
                x_ + begin * inner_,
                (end - begin) * inner_ * kItem);
  }

  void Reduce(int64_t begin, int64_t end) {
    // A cache line arrives in about the time that so many rows take.
    constexpr int64_t kAhead = 8;
    const int64_t n = static_cast<int64_t>(slots_.size());
    const auto owned = [begin, end](int64_t slot) {
      return (slot >= begin) & (slot < end);
    };
    for (int64_t p = 0; p < n; ++p) {
      if (p + kAhead < n && owned(slots_[p + kAhead])) {
        PrefetchRow(out_ + slots_[p + kAhead] * inner_);
      }
      if (!owned(slots_[p])) continue;
      ReduceRow(slots_[p], updates_ + p * inner_);
    }
  }

  void ReduceRow(int64_t slot, const T* row) {
    T* out = out_ + slot * inner_;
    if constexpr (kAssigns) {
      std::copy_n(row, inner_, out);
    } else if (HasWideSum(slot)) {
      AddWide(row, WideRow(slot));
    } else if constexpr (kMayOverflow) {
      AddWatched(row, out);
    } else {
#pragma GCC ivdep
      for (int64_t l = 0; l < inner_; ++l) {
        out[l] = Combine<kReduce>(out[l], row[l]);
      }
    }
  }

  // A sum has overflowed where its sign is that of neither number.
  void AddWatched(const T* row, T* out) {
    T signs = 0;
#pragma GCC ivdep
    for (int64_t l = 0; l < inner_; ++l) {
      const T sum = AddOf(out[l], row[l]);
      signs |= (out[l] ^ sum) & (row[l] ^ sum);
      out[l] = sum;
    }
    if (signs < 0) overflowed_ = true;
  }

  void AddWide(const T* row, WideSum* sums) const {
    for (int64_t l = 0; l < inner_; ++l) {
      sums[l] = AddOf(sums[l], static_cast<WideSum>(row[l]));
    }
  }

  void PrefetchRow(const T* row) const {
    constexpr int64_t kLine = 64;
    const auto* first = reinterpret_cast<const char*>(row);
    for (int64_t b = 0; b < inner_ * kItem; b += kLine) {
      __builtin_prefetch(first + b, /*for writing*/ 1);
    }
  }

  void Finish(int64_t begin, int64_t end) {
    if constexpr (kMeans) {
      for (int64_t slot = begin; slot < end; ++slot) {
        if (counts_[slot] == 0) continue;
        T* row = out_ + slot * inner_;
        if (HasWideSum(slot)) {
          FinishRow(slot, WideRow(slot), row);
        } else {
          FinishRow(slot, row, row);
        }
      }
    }
  }

  template <typename Sum>
  void FinishRow(int64_t slot, const Sum* sums, T* row) const {
    const int64_t count = counts_[slot] + include_self_;
    for (int64_t l = 0; l < inner_; ++l) {
      row[l] = static_cast<T>(DivideByCount(sums[l], count));
    }
  }

  int64_t inner_;
  int64_t size_;
  int64_t bytes_;
  const std::vector<int64_t>& slots_;
  bool include_self_;
  const T* x_;
  const T* updates_;
  T* out_;
  std::vector<int64_t> counts_;  // of the positions that point to a slot
  std::vector<int64_t> cuts_;
  std::vector<int64_t> wide_rows_;  // of slots in wide_sums_; empty without any
  std::vector<WideSum> wide_sums_;
  std::atomic<bool> overflowed_{false};
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
