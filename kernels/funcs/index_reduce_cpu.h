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

// index_reduce on the CPU, on raw pointers. Each slot is written by one
// thread, in the order of the index: no atomics, the same bits for every number
// of threads.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "paddle/phi/kernels/funcs/index_reduce_math.h"
#include "paddle/phi/kernels/funcs/index_reduce_walk.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// The updates of some lanes: those of position p start at data[p * stride].
template <typename T>
struct UpdateRows {
  const T* data;
  int64_t stride;

  const T* operator[](int64_t position) const {
    return data + position * stride;
  }
};

template <typename T, IndexReduce kReduce>
class IndexReducer {
 public:
  IndexReducer(const AxisView& view,
               const IndexGroups& groups,
               bool include_self,
               const T* x,
               const T* updates,
               T* out)
      : view_(view),
        groups_(groups),
        include_self_(include_self),
        x_(x),
        updates_(updates),
        out_(out) {}

  void Run() const {
    GroupWalk<IndexReducer>(view_, groups_, x_ != out_, *this).Run(sizeof(T));
  }

  void Copy(int64_t offset, int64_t n) const {
    std::memcpy(static_cast<void*>(out_ + offset), x_ + offset, n * sizeof(T));
  }

  UpdateRows<T> Rows(int64_t offset, int64_t stride) const {
    return {updates_ + offset, stride};
  }

  class Panel {
   public:
    explicit Panel(const IndexReducer& reducer)
        : reducer_(reducer),
          data_(new T[reducer.groups_.positions() * kNarrowLanes]) {}

    template <typename Lanes>
    void Load(const GroupTask& task, const Lanes& lanes, int64_t offset) {
      const T* updates = reducer_.updates_ + offset;
      reducer_.groups_.ForEachPosition(
          task.group_begin, task.group_end, [&](int64_t p) {
            lanes.Pack(updates, reducer_.view_.inner, p, data_.get());
          });
    }
    UpdateRows<T> rows() const { return {data_.get(), kNarrowLanes}; }
    template <typename Lanes>
    void Store(const GroupTask&, const Lanes&, int64_t) {}

   private:
    const IndexReducer& reducer_;
    std::unique_ptr<T[]> data_;
  };

  template <typename Lanes>
  void Group(const Lanes& lanes,
             int64_t g,
             int64_t x_offset,
             const UpdateRows<T>& rows) const {
    T* out = out_ + x_offset;
    if constexpr (kReduce == IndexReduce::kAssign) {
      const T* row = rows[groups_.last(g)];
      for (int64_t l = 0; l < lanes.size(); ++l) out[lanes.x(l)] = row[l];
    } else {
      const int64_t* next = groups_.begin(g);
      // Copy() has put x where narrow lanes write: one stream less.
      const T* self = Lanes::kCopied ? out : x_ + x_offset;
      const T* first = include_self_ ? self : rows[*next++];
      const int64_t count = groups_.size(g) + include_self_;
      ReduceRows(
          lanes,
          next,
          groups_.end(g),
          rows,
          [&](int64_t l) {
            return static_cast<Sum>(first[include_self_ ? lanes.x(l) : l]);
          },
          [&](int64_t l, Sum sum) {
            out[lanes.x(l)] = static_cast<T>(Finish(sum, count));
          });
    }
  }

 private:
  using Sum = typename ReduceType<T, kReduce>::type;

  // last(l, the sum of first(l) and the rows) for each lane.
  template <typename Lanes, typename First, typename Last>
  static void ReduceRows(const Lanes& lanes,
                         const int64_t* next,
                         const int64_t* end,
                         const UpdateRows<T>& rows,
                         const First& first,
                         const Last& last) {
    Sum sums[Lanes::kMax];
    if constexpr (Lanes::kCopied || std::is_same<T, dtype::float16>::value) {
      // What is far apart, and what takes many instructions to convert, gets
      // loops of its own: with it, the arithmetic is not done in vectors.
      for (int64_t l = 0; l < lanes.size(); ++l) sums[l] = first(l);
      Add(lanes.size(), next, end, rows, sums);
      for (int64_t l = 0; l < lanes.size(); ++l) last(l, sums[l]);
    } else {
      ReduceWide(lanes.size(), next, end, rows, first, last, sums);
    }
  }

  // `sum` with element l of each row, in order. No loop: some compilers leave a
  // loop over the rows inside the one over l, which then has no vectors.
  template <size_t... kRow>
  static Sum CombineAll(Sum sum,
                        [[maybe_unused]] const T* const* row,
                        [[maybe_unused]] int64_t l,
                        std::index_sequence<kRow...>) {
    ((sum = Combine<kReduce>(sum, static_cast<Sum>(row[kRow][l]))), ...);
    return sum;
  }

  // Four rows a turn: a quarter of the loads and stores of `sums`.
  static void Add(int64_t width,
                  const int64_t* next,
                  const int64_t* end,
                  const UpdateRows<T>& rows,
                  Sum* sums) {
    for (; end - next >= 4; next += 4) {
      const T* row[4] = {
          rows[next[0]], rows[next[1]], rows[next[2]], rows[next[3]]};
      for (int64_t l = 0; l < width; ++l) {
        sums[l] = CombineAll(sums[l], row, l, std::make_index_sequence<4>{});
      }
    }
    for (; next != end; ++next) {
      const T* row = rows[*next];
      for (int64_t l = 0; l < width; ++l) {
        sums[l] = Combine<kReduce>(sums[l], static_cast<Sum>(row[l]));
      }
    }
  }

  // As many rows a pass, but the first and the last pass leave out `sums`: a
  // slot of few rows doesn't touch it.
  template <typename First, typename Last>
  static void ReduceWide(int64_t width,
                         const int64_t* next,
                         const int64_t* end,
                         const UpdateRows<T>& rows,
                         const First& first,
                         const Last& last,
                         Sum* sums) {
    if (end - next < 4) return LastPass(width, next, end, rows, first, last);
    const auto from = [&](int64_t l) { return sums[l]; };
    const auto to = [&](int64_t l, Sum sum) { sums[l] = sum; };
    Pass<4>(width, next, rows, first, to);
    for (next += 4; end - next >= 4; next += 4) {
      Pass<4>(width, next, rows, from, to);
    }
    LastPass(width, next, end, rows, from, last);
  }

  // to(l, from(l) with the first kRows of `next`) for each lane. `to` may write
  // where `from` reads the same lane, but the rows are elsewhere.
  template <int kRows, typename From, typename To>
  static void Pass(int64_t width,
                   const int64_t* next,
                   const UpdateRows<T>& rows,
                   const From& from,
                   const To& to) {
    const T* row[kRows + 1];
    for (int r = 0; r < kRows; ++r) row[r] = rows[next[r]];
#pragma GCC ivdep
    for (int64_t l = 0; l < width; ++l) {
      to(l, CombineAll(from(l), row, l, std::make_index_sequence<kRows>{}));
    }
  }

  template <typename From, typename To>
  static void LastPass(int64_t width,
                       const int64_t* next,
                       const int64_t* end,
                       const UpdateRows<T>& rows,
                       const From& from,
                       const To& to) {
    switch (end - next) {
      case 0:
        return Pass<0>(width, next, rows, from, to);
      case 1:
        return Pass<1>(width, next, rows, from, to);
      case 2:
        return Pass<2>(width, next, rows, from, to);
      default:
        return Pass<3>(width, next, rows, from, to);
    }
  }

  static Sum Finish(Sum sum, int64_t count) {
    if constexpr (kReduce == IndexReduce::kMean) {
      return DivideByCount(sum, count);
    } else {
      return sum;
    }
  }

  const AxisView& view_;
  const IndexGroups& groups_;
  bool include_self_;
  const T* x_;
  const T* updates_;
  T* out_;
};

// out may be x.
template <typename T>
void IndexReduceCpu(const AxisView& view,
                    const IndexGroups& groups,
                    IndexReduce reduce,
                    bool include_self,
                    const T* x,
                    const T* updates,
                    T* out) {
  VisitReduce<T>(reduce, [&](auto constant) {
    IndexReducer<T, decltype(constant)::value>(
        view, groups, include_self, x, updates, out)
        .Run();
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
