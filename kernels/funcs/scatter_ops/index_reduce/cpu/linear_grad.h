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
#include <cstring>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/rounding.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/row_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

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
    std::vector<int64_t> last;
    if (reduce_ == IndexReduce::kAssign) {
      last.resize(view_.size);
      slots_.ForEach(
          [&](int64_t position, int64_t slot) { last[slot] = position; });
    }
    const int64_t n = slots_.length();
    ForEachPart(
        view_.updates_size, out_grad, updates_grad, [&](int64_t o, Part part) {
          const T* from = out_grad + o * view_.size * view_.inner + part.lane;
          const int64_t used = std::max(part.begin, std::min(part.end, n));
          CallForMean([&] {
            WithRowLength(
                part.width == view_.inner ? part.width : 0, [&](auto length) {
                  Gather<decltype(length)::value>(from, part, used, last);
                });
          });
          // Behind the end of the index.
          std::fill_n(part.to + (used - part.begin) * part.width,
                      (part.end - used) * part.width,
                      T{});
        });
  }

  // x_grad may be out_grad.
  void X(const T* out_grad, T* x_grad) const {
    if (include_self_ && reduce_ == IndexReduce::kSum) {
      ParallelCopy(
          x_grad, out_grad, view_.outer * view_.size * view_.inner * kItem);
      return;
    }
    if (include_self_) {
      ForEachPart(view_.size, out_grad, x_grad, [&](int64_t, Part part) {
        CallForMean([&] { ShareSlots(part, out_grad + (part.to - x_grad)); });
      });
      return;
    }
    std::vector<uint8_t> touched(view_.size);
    slots_.ForEach([&](int64_t, int64_t slot) { touched[slot] = 1; });
    ForEachPart(view_.size, out_grad, x_grad, [&](int64_t, Part part) {
      WithRowLength(part.width, [&](auto length) {
        ClearTouched<decltype(length)::value>(
            part, touched, out_grad + (part.to - x_grad));
      });
    });
  }

 private:
  static constexpr int64_t kItem = sizeof(T);

  // `width` lanes from `lane` on of the rows [begin, end), which are written
  // one after the other from `to` on.
  struct Part {
    int64_t begin, end;
    int64_t lane, width;
    T* to;
    const TileStores& stores;
  };

  // f(o, part) for parts that make up [outer, rows, inner] at `data`, made from
  // `in`. A part has whole rows, or a piece of one.
  template <typename F>
  void ForEachPart(int64_t rows, const T* in, T* data, const F& f) const {
    const int64_t inner = view_.inner;
    const int64_t numel = view_.outer * rows * inner;
    if (numel == 0) return;
    const Tiles tiles(numel, kItem);
    const Stores kind = StoresInto(data, in, numel * kItem);
    ParallelFor(tiles.count, numel * kItem, [&](int64_t i) {
      const TileStores stores(kind);
      int64_t at = tiles.begin(i);
      while (at < tiles.end(i)) {
        const int64_t o = at / (rows * inner);
        const int64_t row = at / inner % rows;
        const int64_t lane = at % inner;
        const int64_t left = tiles.end(i) - at;
        const bool whole = lane == 0 && left >= inner;
        const int64_t width = whole ? inner : std::min(left, inner - lane);
        const int64_t count = whole ? std::min(rows - row, left / inner) : 1;
        f(o, Part{row, row + count, lane, width, data + at, stores});
        at += count * width;
      }
    });
  }

  // The others copy.
  template <typename F>
  void CallForMean(const F& f) const {
    reduce_ == IndexReduce::kMean ? CallVectorisedForHalf<T>(f) : f();
  }

  // The gradients of updates [part.begin, end), which lie at `from` for slot 0.
  template <int kWidth>
  void Gather(const T* from,
              const Part& part,
              int64_t end,
              const std::vector<int64_t>& last) const {
    T* to = part.to;
    slots_.ForEachChunk(
        part.begin, end, [&](int64_t at, const int64_t* slots, int64_t count) {
          if constexpr (kWidth > 0) {
            last.empty() ? GatherShortRows<kWidth>(from, slots, count, to)
                         : GatherLastRows<kWidth>(
                               from, slots, count, last.data(), at, to);
            ShareShortRows<kWidth>(slots, count, to);
          } else {
            GatherRows(from, part, slots, count, last, at, to);
          }
          to += count * part.width;
        });
  }

  template <int kWidth>
  static void GatherShortRows(const T* from,
                              const int64_t* slots,
                              int64_t count,
                              T* to) {
    for (int64_t i = 0; i < count; ++i) {
      const T* row = from + slots[i] * kWidth;
      for (int l = 0; l < kWidth; ++l) to[i * kWidth + l] = row[l];
    }
  }

  // Zeros for all but the last update of a slot.
  template <int kWidth>
  static void GatherLastRows(const T* from,
                             const int64_t* slots,
                             int64_t count,
                             const int64_t* last,
                             int64_t at,
                             T* to) {
    for (int64_t i = 0; i < count; ++i) {
      const T* row = from + slots[i] * kWidth;
      const bool stays = last[slots[i]] == at + i;
      for (int l = 0; l < kWidth; ++l) {
        to[i * kWidth + l] = stays ? row[l] : T{};
      }
    }
  }

  template <int kWidth>
  void ShareShortRows(const int64_t* slots, int64_t count, T* rows) const {
    if (reduce_ != IndexReduce::kMean) return;
    const int64_t* counts = counts_.data();
    const int64_t self = include_self_;
    for (int64_t i = 0; i < count; ++i) {
      T* row = rows + i * kWidth;
      ShareRow(row, counts[slots[i]] + self, kWidth, row);
    }
  }

  void GatherRows(const T* from,
                  const Part& part,
                  const int64_t* slots,
                  int64_t count,
                  const std::vector<int64_t>& last,
                  int64_t at,
                  T* to) const {
    constexpr int64_t kAhead = 8;
    // The processor foresees the rest of a longer row by itself.
    constexpr int64_t kFetched = 1024 / kItem;
    const int64_t width = part.width;
    for (int64_t i = 0; i < count; ++i, to += width) {
      const T* row = from + slots[i] * view_.inner;
      if (i + kAhead < count) {
        PrefetchRow(from + slots[i + kAhead] * view_.inner,
                    std::min(width, kFetched));
      }
      if (last.empty() || last[slots[i]] == at + i) {
        Share(part.stores, row, slots[i], width, to);
      } else {
        std::fill_n(to, width, T{});
      }
    }
  }

  void ShareSlots(const Part& part, const T* from) const {
    T* to = part.to;
    for (int64_t slot = part.begin; slot < part.end; ++slot) {
      if (counts_[slot] > 0) {
        Share(part.stores, from, slot, part.width, to);
      } else if (from != to) {
        part.stores.Copy(to, from, part.width * kItem);
      }
      from += part.width;
      to += part.width;
    }
  }

  template <int kWidth>
  static void ClearTouched(const Part& part,
                           const std::vector<uint8_t>& touched,
                           const T* from) {
    const uint8_t* flags = touched.data() + part.begin;
    const int64_t width = part.width;
    T* to = part.to;
    ForEachRow<kWidth>(
        part.end - part.begin,
        [=](int64_t s, int64_t i) { to[i] = flags[s] ? T{} : from[i]; },
        [&](int64_t s) {
          T* row = to + s * width;
          if (flags[s]) {
            std::fill_n(row, width, T{});
          } else if (from != to) {
            part.stores.Copy(row, from + s * width, width * kItem);
          }
        });
  }

  // The share of one element of a slot in its gradient.
  void Share(const TileStores& stores,
             const T* from,
             int64_t slot,
             int64_t n,
             T* to) const {
    if (reduce_ == IndexReduce::kMean) {
      ShareRow(from, counts_[slot] + include_self_, n, to);
    } else {
      stores.Copy(to, from, n * kItem);
    }
  }

  static void ShareRow(const T* from, int64_t count, int64_t n, T* to) {
    if constexpr (HasReduceFor<T>(IndexReduce::kMean)) {
      using Sum = typename ReduceType<T, IndexReduce::kMean>::type;
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
// out_grad.
template <typename T, typename Context>
void IndexReduceGradInto(const Context& dev_ctx,
                         LinearReduces,
                         const IndexReduceCall& call,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  const char* op = NameOf(call.op);
  WithWorkingMemory(op, [&] {
    const AxisView view(x.dims(), updates.dims(), call.axis);
    const IndexSlots slots = ReadSlots(op, index, view.size);
    const LinearIndexGrad<T> gradient(
        view, slots, call.reduce, call.include_self);
    const KeptGrad kept(out_grad);
    SizeGrad(x, x_grad);
    SizeGrad(updates, updates_grad);
    if (updates_grad) {
      gradient.Updates(kept.data<T>(), dev_ctx.template Alloc<T>(updates_grad));
    }
    // Last, since it may be written over out_grad.
    if (x_grad) gradient.X(kept.data<T>(), dev_ctx.template Alloc<T>(x_grad));
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
