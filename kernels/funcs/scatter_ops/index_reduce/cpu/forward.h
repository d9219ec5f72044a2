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
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/rounding.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/direct_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/group_walk.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/short_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

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

  Stores OutputStores() const {
    const int64_t numel = view_.outer * view_.size * view_.inner;
    return StoresInto(out_, x_, numel * sizeof(T));
  }

  void Copy(const TileStores& stores, int64_t offset, int64_t n) const {
    stores.Copy(out_ + offset, x_ + offset, n * sizeof(T));
  }

  UpdateRows<T> Rows(int64_t offset, int64_t stride) const {
    return {updates_ + offset, stride};
  }

  // A copy of the updates of kNarrowLanes lanes, in which those of one position
  // are neighbours. Allocated by the first Load, since tasks with fewer lanes
  // than that never load.
  class PackedUpdates {
   public:
    explicit PackedUpdates(const IndexReducer& reducer) : reducer_(reducer) {}

    template <typename Lanes>
    void Load(const GroupTask& task, const Lanes& lanes, int64_t offset) {
      const int64_t size = reducer_.groups_.positions() * kNarrowLanes;
      if (!data_) data_.reset(new T[size]);
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
    if (x_ == out_ && !Lanes::kCopied) {  // else x is read from end to end
      const int64_t slots = groups_.SlotAhead(g) - groups_.dest[g];
      PrefetchStart(out_ + x_offset + slots * view_.inner, lanes.size());
    }
    CallVectorisedForHalf<T>([&] { ReduceGroup(lanes, g, x_offset, rows); });
  }

 private:
  static constexpr bool kAdds =
      kReduce == IndexReduce::kSum || kReduce == IndexReduce::kMean;

  template <typename Lanes>
  void ReduceGroup(const Lanes& lanes,
                   int64_t g,
                   int64_t x_offset,
                   const UpdateRows<T>& rows) const {
    if constexpr (kReduce == IndexReduce::kAssign) {
      const int64_t* last = groups_.end(g) - 1;
      if (!Lanes::kCopied) {
        PrefetchStart(rows[*groups_.Ahead(last)], lanes.size());
      }
      Put(lanes, rows[*last], out_ + x_offset);
      return;
    } else if constexpr (kReduce == IndexReduce::kMean) {
      if (SumsWide<T, kReduce>(groups_.size(g) + include_self_)) {
        return ReduceGroupIn<typename WideSumOf<T>::type>(
            lanes, g, x_offset, rows);
      }
    }
    ReduceGroupIn<typename ReduceType<T, kReduce>::type>(
        lanes, g, x_offset, rows);
  }

  // Lanes of one position to those of a slot.
  template <typename Lanes>
  static void Put(const Lanes& lanes, const T* row, T* out) {
    if constexpr (Lanes::kCopied) {
      for (int64_t l = 0; l < lanes.size(); ++l) out[lanes.x(l)] = row[l];
    } else {
      lanes.stores.Copy(out, row, lanes.size() * sizeof(T));
    }
  }

  // What is stored past the caches is made near them before.
  template <typename Sum, typename Lanes>
  void ReduceGroupIn(const Lanes& lanes,
                     int64_t g,
                     int64_t x_offset,
                     const UpdateRows<T>& rows) const {
    T* out = out_ + x_offset;
    if constexpr (!Lanes::kCopied) {
      if (lanes.stores.SkipCaches(lanes.size() * sizeof(T))) {
        T room[Lanes::kMax];
        ReduceGroupTo<Sum>(lanes, g, x_offset, rows, room);
        Put(lanes, room, out);
        return;
      }
    }
    ReduceGroupTo<Sum>(lanes, g, x_offset, rows, out);
  }

  // The lanes of the slot lie at `out` as they do in x.
  template <typename Sum, typename Lanes>
  void ReduceGroupTo(const Lanes& lanes,
                     int64_t g,
                     int64_t x_offset,
                     const UpdateRows<T>& rows,
                     T* out) const {
    const int64_t count = groups_.size(g) + include_self_;
    const auto last = [&](int64_t l, Sum sum) {
      out[lanes.x(l)] = RoundedTo<T>(Finish(sum, count));
    };
    GroupRows left{
        rows, groups_, groups_.begin(g), groups_.end(g), lanes.size()};
    if (kAdds && !include_self_) {
      // From zero, not from the first row: the sum of -0.0 alone is 0.0.
      ReduceRows<Sum>(
          lanes, left, [](int64_t) { return Sum{}; }, last);
      return;
    }
    // Copy() has put x into `out` for narrow lanes. Reading it there touches
    // memory that is written anyway, instead of x as well.
    const T* self = Lanes::kCopied ? out : x_ + x_offset;
    const T* start = include_self_ ? self : left.Take();
    const auto first = [&](int64_t l) {
      return WidenedTo<Sum>(start[include_self_ ? lanes.x(l) : l]);
    };
    ReduceRows<Sum>(lanes, left, first, last);
  }

  // The rows of a group that are still to be reduced.
  struct GroupRows {
    const UpdateRows<T>& rows;
    const IndexGroups& groups;
    const int64_t* next;
    const int64_t* end;
    int64_t width;

    int64_t left() const { return end - next; }
    const T* Take() {
      PrefetchStart(rows[*groups.Ahead(next)], width);
      return rows[*next++];
    }
  };

  // last(l, the sum of first(l) and the rows) for each lane. Four rows a pass:
  // a quarter of the loads and stores of `sums`, and none for a slot of few
  // rows.
  template <typename Sum, typename Lanes, typename First, typename Last>
  static void ReduceRows(const Lanes& lanes,
                         GroupRows rows,
                         const First& first,
                         const Last& last) {
    Sum sums[Lanes::kMax];
    const auto from = [&](int64_t l) { return sums[l]; };
    const auto to = [&](int64_t l, Sum sum) { sums[l] = sum; };
    // The compiler makes vector instructions of a pass only if it reads and
    // writes neighbours. So lanes that are far apart in x are loaded into
    // `sums` and stored by passes without arithmetic.
    constexpr bool kApart = Lanes::kCopied;
    if (!kApart && rows.left() < 4) {
      return LastPass(lanes.size(), &rows, first, last);
    }
    kApart ? Pass<0>(lanes.size(), &rows, first, to)
           : Pass<4>(lanes.size(), &rows, first, to);
    while (rows.left() >= 4) Pass<4>(lanes.size(), &rows, from, to);
    if constexpr (kApart) {
      while (rows.left() > 0) Pass<1>(lanes.size(), &rows, from, to);
      Pass<0>(lanes.size(), &rows, from, last);
    } else {
      LastPass(lanes.size(), &rows, from, last);
    }
  }

  template <typename From, typename To>
  static void LastPass(int64_t width,
                       GroupRows* rows,
                       const From& from,
                       const To& to) {
    switch (rows->left()) {
      case 0:
        return Pass<0>(width, rows, from, to);
      case 1:
        return Pass<1>(width, rows, from, to);
      case 2:
        return Pass<2>(width, rows, from, to);
      default:
        return Pass<3>(width, rows, from, to);
    }
  }

  // to(l, from(l) with the next kRows rows) for each lane. `to` may write where
  // `from` reads the same lane, but the rows are elsewhere.
  template <int kRows, typename From, typename To>
  static void Pass(int64_t width,
                   GroupRows* rows,
                   const From& from,
                   const To& to) {
    const T* row[kRows + 1];
    for (int r = 0; r < kRows; ++r) row[r] = rows->Take();
#pragma GCC ivdep
    for (int64_t l = 0; l < width; ++l) {
      to(l, CombineAll(from(l), row, l, std::make_index_sequence<kRows>{}));
    }
  }

  // `sum` with element l of each row, in order. No loop: some compilers leave a
  // loop over the rows inside the one over l, which then has no vectors.
  template <typename Sum, size_t... kRow>
  static Sum CombineAll(Sum sum,
                        [[maybe_unused]] const T* const* row,
                        [[maybe_unused]] int64_t l,
                        std::index_sequence<kRow...>) {
    ((sum = Combine<kReduce>(sum, WidenedTo<Sum>(row[kRow][l]))), ...);
    return sum;
  }

  template <typename Sum>
  static auto Finish(Sum sum, int64_t count) {
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

// out = x with the updates reduced into the slices that `slots` names. Both
// inputs may be null if they have no elements; out may be x.
template <typename T, IndexReduce kReduce>
void ReduceSlots(const AxisView& view,
                 const IndexSlots& slots,
                 bool include_self,
                 const T* x,
                 const T* updates,
                 T* out) {
  ShortRowReducer<T, kReduce> short_rows(
      view, slots, include_self, x, updates, out);
  if (short_rows.Serves() && short_rows.Run()) return;
  const IndexGroups groups = kReduce == IndexReduce::kAssign
                                 ? GroupLastOfSlots(slots, view.size)
                                 : GroupSlots(slots, view.size);
  IndexReducer<T, kReduce>(view, groups, include_self, x, updates, out).Run();
}

// The kernel of an operator that has the reductions of the set `reduces`. out
// may share the memory of x or updates.
template <typename T, typename Reduces, typename Context>
void IndexReduceInto(const Context& dev_ctx,
                     Reduces reduces,
                     const IndexReduceCall& call,
                     const DenseTensor& x,
                     const DenseTensor& index,
                     const DenseTensor& updates,
                     DenseTensor* out) {
  const char* op = NameOf(call.op);
  WithWorkingMemory(op, [&] {
    const AxisView view(x.dims(), updates.dims(), call.axis);
    const T* x_data = DataOrNull<T>(x);
    T* out_data = dev_ctx.template Alloc<T>(out);
    bool done = false;
    VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
      if (index.numel() == 0) return;
      done = VisitIndex(index, [&](const auto* values) {
        return ReduceDirectly<T, decltype(constant)::value>(
            view,
            values,
            index.numel(),
            call.include_self,
            x_data,
            DataOrNull<T>(updates),
            out_data);
      });
    });
    if (done) return;
    // Before anything is written to x, which a bad index leaves as it was.
    IndexSlots slots = ReadSlots(op, index, view.size);
    if (out->numel() == 0) return;
    const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
    DenseTensor index_copy;
    if (index.numel() > 0 && Overlap(index.data(),
                                     index.numel() * SizeOf(index.dtype()),
                                     out_data,
                                     bytes)) {
      Copy(dev_ctx, index, dev_ctx.GetPlace(), false, &index_copy);
      slots = ReadSlots(op, index_copy, view.size);
    }
    DenseTensor copy;
    const T* updates_data =
        ReadApart<T>(dev_ctx, updates, out_data, bytes, &copy);
    VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
      ReduceSlots<T, decltype(constant)::value>(
          view, slots, call.include_self, x_data, updates_data, out_data);
    });
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
