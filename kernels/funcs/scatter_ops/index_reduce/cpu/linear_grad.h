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

// The gradients of the linear reductions on the CPU: a gather for updates, a
// copy with some slots changed for x.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

template <typename T>
class LinearIndexGrad {
 public:
  LinearIndexGrad(const AxisView& view,
                  const IndexSlots& slots,
                  IndexReduce reduce,
                  bool include_self)
      : view_(view),
        slots_(slots),
        reduce_(reduce),
        include_self_(include_self && reduce != IndexReduce::kAssign) {
    if (reduce != IndexReduce::kMean) return;
    counts_.resize(view.size);
    slots.ForEach([&](int64_t, int64_t slot) { ++counts_[slot]; });
  }

  void Updates(const T* out_grad, T* updates_grad) const {
    const bool assigns = reduce_ == IndexReduce::kAssign;
    std::vector<int64_t> last(assigns ? view_.size : 0);
    if (assigns) {
      slots_.ForEach(
          [&](int64_t position, int64_t slot) { last[slot] = position; });
    }
    const auto find = [&](int64_t begin, int64_t n, int64_t* sources) {
      const int64_t* slots = slots_.Read(begin, n, sources);
      for (int64_t i = 0; i < n; ++i) {
        const bool gives = !assigns || last[slots[i]] == begin + i;
        sources[i] = gives ? slots[i] : -1;
      }
    };
    ForEachRow(view_.length,
               reduce_ == IndexReduce::kMean,
               out_grad,
               updates_grad,
               find);
  }

  // x_grad may be out_grad.
  void X(const T* out_grad, T* x_grad) const {
    if (include_self_ && reduce_ == IndexReduce::kSum) {
      ParallelCopy(
          x_grad, out_grad, view_.outer * view_.size * view_.inner * kItem);
      return;
    }
    std::vector<uint8_t> cleared(view_.size);
    if (!include_self_) {
      slots_.ForEach([&](int64_t, int64_t slot) { cleared[slot] = 1; });
    }
    ForEachRow(view_.size,
               include_self_,
               out_grad,
               x_grad,
               [&](int64_t begin, int64_t n, int64_t* sources) {
                 for (int64_t i = 0; i < n; ++i) {
                   sources[i] = cleared[begin + i] ? -1 : begin + i;
                 }
               });
  }

 private:
  static constexpr int64_t kItem = sizeof(T);
  static constexpr int64_t kRows = 512;  // that are written at a time

  // Writes [outer, rows, inner] at `to`: each row is that of a slot in
  // out_grad, its share in that if `shares`, or zeros. find(begin, n, sources)
  // finds the slots of n rows, or -1 for zeros.
  template <typename Find>
  void ForEachRow(int64_t rows,
                  bool shares,
                  const T* out_grad,
                  T* to,
                  const Find& find) const {
    const int64_t inner = view_.inner;
    const int64_t numel = view_.outer * rows * inner;
    if (numel == 0) return;
    const Tiles tiles(numel, kItem);
    const bool streams = UseNonTemporalStores(tiles.bytes, to == out_grad);
    ParallelFor(tiles.count, numel * kItem, [&](int64_t i) {
      int64_t sources[kRows];
      for (int64_t at = tiles.begin(i); at < tiles.end(i);) {
        const int64_t o = at / (rows * inner);
        const int64_t row = at / inner % rows;
        const int64_t lane = at % inner;
        const int64_t left = tiles.end(i) - at;
        const bool whole = lane == 0 && left >= inner;
        const int64_t width = whole ? inner : std::min(left, inner - lane);
        const int64_t n =
            whole ? std::min({rows - row, left / inner, kRows}) : 1;
        find(row, n, sources);
        const T* from = out_grad + o * view_.size * inner + lane;
        const auto write = [&] {
          inner == 1
              ? WriteElements(from, sources, n, shares, to + at)
              : WriteRows(from, sources, n, width, shares, streams, to + at);
        };
        shares ? CallVectorisedForHalf<T>(write) : write();
        at += n * width;
      }
    });
  }

  // Without a branch that depends on the index.
  void WriteElements(const T* from,
                     const int64_t* sources,
                     int64_t n,
                     bool shares,
                     T* to) const {
    using Word = WordOf<T>;
    const auto* words = reinterpret_cast<const Word*>(from);
    auto* out = reinterpret_cast<Word*>(to);
    for (int64_t i = 0; i < n; ++i) {
      // An element without a source is zero. It reads its own place, which may
      // not have been written yet (so as a word: any bits are one), since
      // another thread may write to any other if `to` is out_grad's memory.
      const Word element = *(sources[i] < 0 ? out + i : words + sources[i]);
      out[i] = sources[i] < 0 ? Word{} : element;
    }
    for (int64_t i = 0; shares && i < n; ++i) {
      if (sources[i] >= 0) Share(to + i, sources[i], 1, to + i);
    }
  }

  void WriteRows(const T* from,
                 const int64_t* sources,
                 int64_t n,
                 int64_t width,
                 bool shares,
                 bool streams,
                 T* to) const {
    constexpr int64_t kAhead = 8;
    for (int64_t i = 0; i < n; ++i, to += width) {
      if (i + kAhead < n && sources[i + kAhead] >= 0) {
        PrefetchRow(from + sources[i + kAhead] * view_.inner, width);
      }
      if (sources[i] < 0) {
        std::fill_n(to, width, T{});
        continue;
      }
      const T* row = from + sources[i] * view_.inner;
      if (shares && counts_[sources[i]] > 0) {
        Share(row, sources[i], width, to);
      } else if (row != to) {
        StreamCopy(to, row, width * kItem, streams);
      }
    }
  }

  // The share of one element of a slot in its gradient.
  void Share(const T* from, int64_t slot, int64_t n, T* to) const {
    if constexpr (HasReduceFor<T>(IndexReduce::kMean)) {
      using Sum = typename ReduceType<T, IndexReduce::kMean>::type;
      const int64_t count = counts_[slot] + include_self_;
      if (counts_[slot] == 0) return;
      for (int64_t l = 0; l < n; ++l) {
        to[l] = RoundedTo<T>(DivideByCount(WidenedTo<Sum>(from[l]), count));
      }
    }
  }

  const AxisView& view_;
  IndexSlots slots_;
  IndexReduce reduce_;
  bool include_self_;
  std::vector<int64_t> counts_;  // of positions with a slot, for mean
};

// The gradient kernel of an operator that is linear in x and updates, of which
// it needs no more than the shapes. Either output may be null; x_grad may be
// out_grad, and out anything.
template <typename T, typename Context>
void IndexReduceGradInto(const Context& dev_ctx,
                         LinearReduces,
                         const IndexReduceCall& call,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates,
                         const DenseTensor& /*out*/,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  const char* op = NameOf(call.op);
  CheckOutGrad(op, out_grad, x.dims(), x_grad);
  const AxisView view(x, index, call.axis);
  const IndexSlots slots(op, index, view);
  const LinearIndexGrad<T> gradient(
      view, slots, call.reduce, call.include_self);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  SizeGrad(x, x_grad);
  SizeGrad(updates, updates_grad);
  if (updates_grad) {
    gradient.Updates(DataOrNull<T>(dout),
                     AllocUpdatesGrad<T>(dev_ctx, view, updates_grad));
  }
  // Last, since it may be written over out_grad.
  if (x_grad)
    gradient.X(DataOrNull<T>(dout), dev_ctx.template Alloc<T>(x_grad));
}

}  // namespace phi::funcs::scatter_ops
