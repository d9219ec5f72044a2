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

// The loops of short_rows.h over the updates of some slots. A row of few
// elements is handled by a loop of a constant length, which the compiler
// unrolls: deciding how to go on would cost more than the row.

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/rounding.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/slot_lists.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// f(the length as a constant, or 0 if it is none of the usual short ones)
template <typename F>
void WithRowLength(int64_t inner, const F& f) {
  switch (inner) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 8:
      return f(std::integral_constant<int, 8>{});
    default:
      return f(std::integral_constant<int, 0>{});
  }
}

// element(row, i) for element i of each row, which must not look at others, if
// the rows have the constant length kInner; else row(r) for each. A branch for
// a row costs more than a few elements that are computed for nothing.
template <int kInner, typename Element, typename Row>
inline void ForEachRow(int64_t rows, const Element& element, const Row& row) {
  if constexpr (kInner > 0) {
#pragma GCC ivdep
    for (int64_t r = 0; r < rows; ++r) {
      for (int l = 0; l < kInner; ++l) element(r, r * kInner + l);
    }
  } else {
    for (int64_t r = 0; r < rows; ++r) row(r);
  }
}

template <IndexReduce kReduce, typename Sum, typename T>
inline Sum Reduced(Sum sum, T element) {
  if constexpr (kReduce == IndexReduce::kAssign) {
    return element;
  } else {
    return Combine<kReduce>(sum, WidenedTo<Sum>(element));
  }
}

template <typename T>
inline void PrefetchRow(const T* row, int64_t inner) {
  constexpr int64_t kLine = 64;
  const auto* first = reinterpret_cast<const char*>(row);
  const int64_t bytes = inner * static_cast<int64_t>(sizeof(T));
  for (int64_t b = 0; b < bytes; b += kLine) Prefetch(first + b);
}

// The same for a row that is one of many in no order. The processor foresees
// the rest of a longer one by itself, and all of one that fills a page.
template <typename T>
inline void PrefetchStart(const T* row, int64_t inner) {
  const int64_t bytes = inner * static_cast<int64_t>(sizeof(T));
  if (bytes >= 4096) return;
  PrefetchRow(row,
              bytes <= 1024 ? inner : 256 / static_cast<int64_t>(sizeof(T)));
}

// Fetches the rows of element i, for which the caches near the core have no
// room. Very short rows the processor finds early enough by itself, and updates
// too, unless some are left out.
template <int kInner, typename List, typename T, typename Sum>
inline void FetchRows(const List& list,
                      int64_t i,
                      int64_t inner,
                      const T* updates,
                      const Sum* sums) {
  if (kInner > 0 || i >= list.count()) return;
  PrefetchStart(sums + list.slot(i) * inner, inner);
  if (List::kSkips) PrefetchStart(updates + list.position(i) * inner, inner);
}

// Rows of `inner` elements one after the other, each reduced into that of its
// slot.
template <IndexReduce kReduce,
          int kInner,
          typename List,
          typename T,
          typename Sum>
void ReduceRows(
    const List& list, int64_t inner, bool far, const T* updates, Sum* sums) {
  // A cache line arrives in about the time that so many rows take.
  constexpr int64_t kAhead = 8;
  if (kInner > 0) inner = kInner;
  for (int64_t i = 0; i < list.count(); ++i) {
    if (far) FetchRows<kInner>(list, i + kAhead, inner, updates, sums);
    const T* update = updates + list.position(i) * inner;
    Sum* sum = sums + list.slot(i) * inner;
#pragma GCC ivdep
    for (int64_t l = 0; l < inner; ++l) {
      sum[l] = Reduced<kReduce>(sum[l], update[l]);
    }
  }
}

// Several rows of x at once, of one element for each slot: sums to the same
// slot that follow each other wait for each other, those of other rows do not.
template <IndexReduce kReduce,
          int kRows,
          typename List,
          typename T,
          typename Sum>
void ReduceColumns(const List& list,
                   const T* updates,
                   int64_t updates_step,
                   Sum* sums,
                   int64_t sums_step) {
  const T* update[kRows];
  Sum* sum[kRows];
  for (int r = 0; r < kRows; ++r) {
    update[r] = updates + r * updates_step;
    sum[r] = sums + r * sums_step;
  }
  for (int64_t i = 0; i < list.count(); ++i) {
    const int64_t slot = list.slot(i);
    const int64_t position = list.position(i);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      sum[r][slot] = Reduced<kReduce>(sum[r][slot], update[r][position]);
    }
  }
}

// Notes of each slot in the range how often the index has it or, in marks of
// one byte, that it does.
template <typename Mark>
void MarkSlots(const IndexSlots& index,
               SlotRange range,
               int64_t size,
               Mark* marks) {
  std::fill_n(marks, range.size(), Mark{0});
  ForEachList(index, range, size, [marks](const auto& list) {
    for (int64_t i = 0; i < list.count(); ++i) {
      Mark& mark = marks[list.slot(i)];
      mark = sizeof(Mark) > 1 ? mark + 1 : 1;
    }
  });
}

// Sets the rows of the slots.
template <int kInner, typename List, typename T>
void FillRows(const List& list, int64_t inner, T value, T* rows) {
  if (kInner > 0) inner = kInner;
  for (int64_t i = 0; i < list.count(); ++i) {
    T* row = rows + list.slot(i) * inner;
    for (int64_t l = 0; l < inner; ++l) row[l] = value;
  }
}

// out = x, but `first` in the rows that are marked. out may be x.
template <int kInner, typename Mark, typename T>
void StartMarkedRows(const Mark* marks,
                     int64_t rows,
                     int64_t inner,
                     T first,
                     const T* x,
                     T* out) {
  ForEachRow<kInner>(
      rows,
      [=](int64_t r, int64_t i) { out[i] = marks[r] > 0 ? first : x[i]; },
      [=](int64_t r) {
        T* row = out + r * inner;
        if (marks[r] > 0) {
          std::fill_n(row, inner, first);
        } else if (x != out) {
          std::copy_n(x + r * inner, inner, row);
        }
      });
}

template <typename T, typename Sum>
inline void AddRow(const T* row, int64_t inner, Sum* sums) {
  for (int64_t l = 0; l < inner; ++l) {
    sums[l] = AddOf(sums[l], WidenedTo<Sum>(row[l]));
  }
}

// Adds the rows; true if a sum of int64 has overflowed: where its sign is that
// of neither number.
template <typename List>
bool AddWatchedRows(const List& list,
                    int64_t inner,
                    const int64_t* updates,
                    int64_t* sums) {
  int64_t signs = 0;
  for (int64_t i = 0; i < list.count(); ++i) {
    const int64_t* update = updates + list.position(i) * inner;
    int64_t* row = sums + list.slot(i) * inner;
#pragma GCC ivdep
    for (int64_t l = 0; l < inner; ++l) {
      const int64_t sum = AddOf(row[l], update[l]);
      signs |= (row[l] ^ sum) & (update[l] ^ sum);
      row[l] = sum;
    }
  }
  return signs < 0;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
