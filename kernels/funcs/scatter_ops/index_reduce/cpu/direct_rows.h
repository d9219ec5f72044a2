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

// Reductions of very short rows by one thread, in one loop over an index that
// it checks on the way: to read a long one twice takes longer than to add.

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_ways.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/row_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// f(position, slot) for all positions in order, up to the first whose value is
// outside [-size, size): then false.
template <typename IndexT, typename F>
inline bool ForEachSlotInside(const IndexT* index,
                              int64_t n,
                              int64_t size,
                              const F& f) {
  for (int64_t i = 0; i < n; ++i) {
    const int64_t value = index[i];
    const int64_t slot = value + (value < 0 ? size : 0);
    if (static_cast<uint64_t>(slot) >= static_cast<uint64_t>(size)) {
      return false;
    }
    f(i, slot);
  }
  return true;
}

// out, which is a copy of x, with the updates reduced into it. False for an
// index that is outside; out then holds a part. kInner is 0 for rows of any
// length.
template <typename T, IndexReduce kReduce, int kInner, typename IndexT>
bool ReduceRowsInside(const IndexT* index,
                      int64_t n,
                      const AxisView& view,
                      bool include_self,
                      const T* updates,
                      T* out) {
  const int64_t inner = kInner > 0 ? kInner : view.inner;
  if (kReduce != IndexReduce::kAssign && !include_self) {
    const T first = IdentityOf<T, kReduce>();
    const bool inside =
        ForEachSlotInside(index, n, view.size, [=](int64_t, int64_t slot) {
          std::fill_n(out + slot * inner, inner, first);
        });
    if (!inside) return false;
  }
  return ForEachSlotInside(index, n, view.size, [=](int64_t i, int64_t slot) {
    const T* update = updates + i * inner;
    T* sum = out + slot * inner;
#pragma GCC ivdep
    for (int64_t l = 0; l < inner; ++l) {
      sum[l] = Reduced<kReduce>(sum[l], update[l]);
    }
  });
}

// Whether one loop serves a reduction: not where what it is reduced in is no T.
template <typename T, IndexReduce kReduce>
constexpr bool ReducesDirectly() {
  if (kReduce == IndexReduce::kAssign) return true;
  // A product of complex numbers has no identity to start from.
  return kReduce != IndexReduce::kMean &&
         !(kReduce == IndexReduce::kMul && IsComplexNumber<T>::value) &&
         std::is_same<typename ReduceType<T, kReduce>::type, T>::value;
}

// out = x with the updates reduced into the slices that the `n` values of the
// index name, if this is the fastest way and they are as they should be; else
// false. x and updates are null if they have no elements; what out shares
// memory with is not served.
template <typename T, IndexReduce kReduce, typename IndexT>
bool ReduceDirectly(const AxisView& view,
                    const IndexT* index,
                    int64_t n,
                    bool include_self,
                    const T* x,
                    const T* updates,
                    T* out) {
  bool done = false;
  if constexpr (ReducesDirectly<T, kReduce>()) {
    if (x == out || x == nullptr || updates == nullptr) return false;
    const IndexWork work{view,
                         n,
                         sizeof(T),
                         sizeof(T),
                         /*panels=*/false,
                         kReduce == IndexReduce::kAssign,
                         /*means=*/false,
                         include_self,
                         /*in_place=*/false};
    if (view.outer > 1 || RowThreads(work, kOneThreadBytes) > 1) return false;
    const int64_t row = view.inner * static_cast<int64_t>(sizeof(T));
    const int64_t bytes = view.size * row;
    if (Overlap(x, bytes, out, bytes) ||
        Overlap(updates, n * row, out, bytes) ||
        Overlap(index, n * sizeof(IndexT), out, bytes)) {
      return false;
    }
    WithRowLength(view.inner, [&](auto length) {
      constexpr int kInner = decltype(length)::value;
      // short_rows.h fetches longer rows ahead.
      if (kInner == 0 && bytes >= kParallelBytes) return;
      ParallelCopy(out, x, bytes);
      done = ReduceRowsInside<T, kReduce, kInner>(
          index, n, view, include_self, updates, out);
    });
  }
  return done;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
