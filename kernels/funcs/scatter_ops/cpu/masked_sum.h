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

// Sums a gradient, under a mask, down to the shape of an operand that was
// broadcast. The order of the additions depends on the shapes alone, so the
// result is the same for every number of threads.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

template <typename T>
class MaskedSum {
 public:
  using Sum = typename LongSumOf<T>::type;
  using Word = WordOf<T>;

  // Elements of `in` (of shape out_dims) whose mask is `wanted` go into the
  // element of the target that they were broadcast from.
  MaskedSum(const T* in,
            const DDim& out_dims,
            const MaskView& mask,
            bool wanted,
            const DDim& target_dims)
      : in_(in),
        numel_(common::product(out_dims)),
        mask_(mask),
        wanted_(wanted),
        view_(out_dims, target_dims),
        target_numel_(common::product(target_dims)) {}

  void Run(T* target) const {
    if (numel_ == 0) {
      std::fill_n(target, target_numel_, T{});
      return;
    }
    if (view_.stride(0) != 0) {
      SumKeptRows(target);
    } else {
      SumParts(target);
    }
  }

 private:
  // The first axis is kept: its rows have targets of their own.
  void SumKeptRows(T* target) const {
    const int64_t rows = view_.dim(0);
    const int64_t row = numel_ / rows;
    const int64_t width = view_.stride(0);
    const int64_t chunk = std::max<int64_t>(1, kBlock / std::max(row, width));
    const int64_t chunks = (rows + chunk - 1) / chunk;
    ParallelFor(chunks, numel_ * sizeof(T), [&](int64_t c) {
      const int64_t first = c * chunk;
      const int64_t last = std::min(rows, first + chunk);
      std::vector<Sum> sums((last - first) * width, Sum{});
      CallVectorisedForHalf<T>(
          [&] { Add(first * row, last * row, sums.data() - first * width); });
      for (size_t i = 0; i < sums.size(); ++i) {
        target[first * width + i] = FromSum<T>(sums[i]);
      }
    });
  }

  // The first axis is summed over: parts of it are summed apart, then added up
  // in order. A big target leaves memory for fewer parts.
  void SumParts(T* target) const {
    const int64_t rows = view_.dim(0);
    const int64_t row = numel_ / rows;
    const int64_t room = std::max<int64_t>(1, numel_ / target_numel_ / 16);
    const int64_t work = (numel_ + kPartElements - 1) / kPartElements;
    const int64_t parts = std::min({rows, room, work, kMaxParts});
    std::vector<Sum> sums(parts * target_numel_, Sum{});
    ParallelFor(parts, numel_ * sizeof(T), [&](int64_t p) {
      CallVectorisedForHalf<T>([&] {
        Add(rows * p / parts * row,
            rows * (p + 1) / parts * row,
            sums.data() + p * target_numel_);
      });
    });
    for (int64_t i = 0; i < target_numel_; ++i) {
      Sum sum = sums[i];
      for (int64_t p = 1; p < parts; ++p) sum += sums[p * target_numel_ + i];
      target[i] = FromSum<T>(sum);
    }
  }

  // Adds elements [begin, end) into sums, indexed like the target.
  void Add(int64_t begin, int64_t end, Sum* sums) const {
    uint8_t mask_scratch[kBlock];
    T values[kBlock];
    for (int64_t b = begin; b < end; b += kBlock) {
      const int64_t n = std::min(kBlock, end - b);
      TakeWanted(
          in_ + b, mask_.view.Read(mask_.data, b, n, mask_scratch), n, values);
      const T* next = values;
      view_.ForEachRun(
          b, b + n, [&](int64_t offset, int64_t stride, int64_t length) {
            AddRun(next, length, stride, sums + offset);
            next += length;
          });
    }
  }

  // Zeros where the mask is not `wanted`.
  void TakeWanted(const T* in, const uint8_t* mask, int64_t n, T* out) const {
    static constexpr Word kZeros[kBlock] = {};
    const auto* words = reinterpret_cast<const Word*>(in);
    SelectBlock(TileStores(Stores::kOrdinary),
                reinterpret_cast<Word*>(out),
                wanted_ ? kZeros : words,
                mask,
                wanted_ ? words : kZeros,
                n);
  }

  static void AddRun(const T* in, int64_t n, int64_t stride, Sum* sums) {
    if (stride == 0) {
      sums[0] += SumRun(in, n);
    } else {
      for (int64_t i = 0; i < n; ++i) sums[i] += WidenedTo<Sum>(in[i]);
    }
  }

  // Four chains of additions, since one would wait for itself.
  static Sum SumRun(const T* in, int64_t n) {
    Sum s[4] = {};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int j = 0; j < 4; ++j) s[j] += WidenedTo<Sum>(in[i + j]);
    }
    for (; i < n; ++i) s[0] += WidenedTo<Sum>(in[i]);
    return (s[0] + s[1]) + (s[2] + s[3]);
  }

  static constexpr int64_t kPartElements = 16 << 10;
  static constexpr int64_t kMaxParts = 64;

  const T* in_;
  int64_t numel_;
  MaskView mask_;
  bool wanted_;
  BroadcastView view_;
  int64_t target_numel_;
};

}  // namespace phi::funcs::scatter_ops
