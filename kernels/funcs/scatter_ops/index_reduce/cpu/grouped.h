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

// Reductions of slices by an index on the CPU: the index is grouped by slot,
// and each slot is written once, by one thread, from its group in the order of
// the index. No atomics, the same bits for every number of threads.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/lane_tile.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// Reduces groups of updates into their slots.
template <typename T, IndexReduce kReduce>
class GroupReducer {
 public:
  GroupReducer(const ReduceOperands<T>& operands, const IndexGroups& groups)
      : operands_(operands),
        groups_(groups),
        streams_(UseNonTemporalStores(operands.view.numel() * sizeof(T),
                                      operands.x == operands.out)) {}

  void operator()(int64_t g,
                  int64_t x_offset,
                  int64_t updates_offset,
                  int64_t n) const {
    const int64_t inner = operands_.view.inner;
    const T* x = operands_.x + x_offset;
    T* out = operands_.out + x_offset;
    if (x == out) {  // else x is read from end to end
      PrefetchRow(out + (groups_.SlotAhead(g) - groups_.dest[g]) * inner, n);
    }
    Rows rows{operands_.updates + updates_offset,
              inner,
              n,
              groups_,
              groups_.begin(g),
              groups_.end(g)};
    if constexpr (kReduce == IndexReduce::kAssign) {
      rows.next = rows.end - 1;
      StreamCopy(out, rows.Take(), n * sizeof(T), streams_);
    } else {
      T buffer[kMostLanes];
      T* to = streams_ ? buffer : out;
      CallVectorisedForHalf<T>([&] { Reduce(rows, x, to); });
      if (streams_) StreamCopy(out, buffer, n * sizeof(T), true);
    }
  }

 private:
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  using Sum = typename ReduceType<T, kReduce>::type;

  // Rows of a group that are still to be reduced.
  struct Rows {
    const T* updates;
    int64_t step;
    int64_t length;
    const IndexGroups& groups;
    const int64_t* next;
    const int64_t* end;

    int64_t left() const { return end - next; }
    const T* Take() {
      PrefetchRow(updates + *groups.Ahead(next) * step, length);
      return updates + *next++ * step;
    }
  };

  void Reduce(Rows rows, const T* x, T* out) const {
    const int64_t count = rows.left() + operands_.include_self;
    const auto finish = [=](int64_t l, Sum sum) {
      if constexpr (kMeans) {
        out[l] = RoundedTo<T>(DivideByCount(sum, count));
      } else {
        out[l] = RoundedTo<T>(sum);
      }
    };
    if (!operands_.include_self && (kReduce == IndexReduce::kSum || kMeans)) {
      // Not from the first row: the sum of -0.0 alone is 0.0.
      ReduceFrom(
          rows, [](int64_t) { return Sum{}; }, finish);
    } else {
      const T* first = operands_.include_self ? x : rows.Take();
      ReduceFrom(
          rows,
          [first](int64_t l) { return WidenedTo<Sum>(first[l]); },
          finish);
    }
  }

  // finish(l, the sum of first(l) and the rows) for each lane. Four rows a
  // pass: a quarter of the loads and stores of `sums`, and none for a slot of
  // few rows.
  template <typename First, typename Finish>
  static void ReduceFrom(Rows rows, const First& first, const Finish& finish) {
    if (rows.left() < 4) return LastPass<3>(&rows, first, finish);
    Sum sums[kMostLanes];
    const auto from = [&sums](int64_t l) { return sums[l]; };
    const auto to = [&sums](int64_t l, Sum sum) { sums[l] = sum; };
    Pass<4>(&rows, first, to);
    while (rows.left() >= 4) Pass<4>(&rows, from, to);
    LastPass<3>(&rows, from, finish);
  }

  // Of the rows that are left, kMost or fewer.
  template <int kMost, typename From, typename To>
  static void LastPass(Rows* rows, const From& from, const To& to) {
    if constexpr (kMost > 0) {
      if (rows->left() < kMost) return LastPass<kMost - 1>(rows, from, to);
    }
    Pass<kMost>(rows, from, to);
  }

  // to(l, from(l) with the next kRows rows) for each lane. `to` may write where
  // `from` reads the same lane, but the rows are elsewhere. No loop over the
  // rows: some compilers leave it inside the one over lanes, which then has no
  // vectors.
  template <int kRows, typename From, typename To>
  static void Pass(Rows* rows, const From& from, const To& to) {
    const T* row[4] = {};
    for (int r = 0; r < kRows; ++r) row[r] = rows->Take();
    const int64_t length = rows->length;
    SCATTER_OPS_IVDEP
    for (int64_t l = 0; l < length; ++l) {
      Sum sum = from(l);
      const auto add = [&](int r) {
        sum = Combine<kReduce>(sum, WidenedTo<Sum>(row[r][l]));
      };
      if constexpr (kRows > 0) add(0);
      if constexpr (kRows > 1) add(1);
      if constexpr (kRows > 2) add(2);
      if constexpr (kRows > 3) add(3);
      to(l, sum);
    }
  }

  const ReduceOperands<T>& operands_;
  const IndexGroups& groups_;
  bool streams_;
};

template <typename T, IndexReduce kReduce>
void ReduceByGroups(const ReduceOperands<T>& operands) {
  const AxisView& view = operands.view;
  const IndexGroups groups = kReduce == IndexReduce::kAssign
                                 ? GroupLastOfSlots(operands.slots, view.size)
                                 : GroupSlots(operands.slots, view.size);
  ForEachGroup(view,
               groups,
               operands.x,
               operands.out,
               GroupReducer<T, kReduce>(operands, groups));
}

// The smallest calls: one by one in the order of the index, so that the last
// update of a slot stays.
template <typename T>
bool AssignFewRows(const ReduceOperands<T>& operands) {
  constexpr int64_t kMaxBytes = 4 << 10;
  const AxisView& view = operands.view;
  const int64_t row = view.inner * static_cast<int64_t>(sizeof(T));
  if (view.outer > 1 || (view.size + view.length) * row > kMaxBytes) {
    return false;
  }
  T* out = operands.out;
  if (operands.x != out) std::memcpy(out, operands.x, view.size * row);
  operands.slots.ForEach([&](int64_t position, int64_t slot) {
    std::memcpy(
        out + slot * view.inner, operands.updates + position * view.inner, row);
  });
  return true;
}

// out = x with the updates reduced into the slices that the slots name.
template <typename T, IndexReduce kReduce>
void ReduceSlots(const ReduceOperands<T>& operands) {
  if (kReduce == IndexReduce::kAssign && AssignFewRows<T>(operands)) return;
  if (ReduceLaneTiles<T, kReduce>(operands)) return;
  if (ReduceShortRows<T, kReduce>(operands)) return;
  ReduceByGroups<T, kReduce>(operands);
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
  const AxisView view(x, index, call.axis);
  const T* x_data = DataOrNull<T>(x);
  T* out_data = dev_ctx.template Alloc<T>(out);
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  std::optional<DenseTensor> index_copy;
  if (index.numel() > 0 && Overlap(index.data(),
                                   index.numel() * SizeOf(index.dtype()),
                                   out_data,
                                   bytes)) {
    Copy(dev_ctx, index, dev_ctx.GetPlace(), false, &index_copy.emplace());
  }
  const IndexSlots slots(
      NameOf(call.op), index_copy ? *index_copy : index, view);
  if (bytes == 0) return;
  std::optional<DenseTensor> copy;
  const T* updates_data =
      ReadApart<T>(dev_ctx, updates, out_data, bytes, &copy);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    ReduceSlots<T, decltype(constant)::value>(
        {view, slots, call.include_self, x_data, updates_data, out_data});
  });
}

}  // namespace phi::funcs::scatter_ops
