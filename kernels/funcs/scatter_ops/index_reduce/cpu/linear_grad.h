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

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/pages.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename T>
class LinearIndexGrad {
 public:
  LinearIndexGrad(const AxisView& view,
                  const std::vector<int64_t>& slots,
                  IndexReduce reduce,
                  bool include_self)
      : view_(view),
        slots_(slots),
        reduce_(reduce),
        include_self_(include_self && reduce != IndexReduce::kAssign),
        counts_(view.size, 0) {
    for (const int64_t slot : slots) ++counts_[slot];
    if (reduce != IndexReduce::kAssign) return;
    last_.resize(view.size);
    for (size_t p = 0; p < slots.size(); ++p) last_[slots[p]] = p;
  }

  void Updates(const T* out_grad, T* updates_grad) const {
    const int64_t n = static_cast<int64_t>(slots_.size());
    ForEachPart(view_.updates_size, updates_grad, [&](int64_t o, Part part) {
      const T* from = out_grad + o * view_.size * view_.inner + part.lane;
      for (; part.begin < std::min(part.end, n); ++part.begin) {
        const int64_t slot = slots_[part.begin];
        if (last_.empty() || last_[slot] == part.begin) {
          Share(from + slot * view_.inner, slot, part.width, part.to);
        } else {
          std::fill_n(part.to, part.width, T{});
        }
        part.to += part.width;
      }
      // Behind the end of the index.
      std::fill_n(part.to, (part.end - part.begin) * part.width, T{});
    });
  }

  // x_grad may be out_grad.
  void X(const T* out_grad, T* x_grad) const {
    if (include_self_ && reduce_ == IndexReduce::kSum) {
      ParallelCopy(
          x_grad, out_grad, view_.outer * view_.size * view_.inner * kItem);
      return;
    }
    ForEachPart(view_.size, x_grad, [&](int64_t, Part part) {
      for (int64_t slot = part.begin; slot < part.end; ++slot) {
        const T* from = out_grad + (part.to - x_grad);
        if (counts_[slot] > 0 && !include_self_) {
          std::fill_n(part.to, part.width, T{});
        } else if (counts_[slot] > 0) {
          Share(from, slot, part.width, part.to);
        } else if (from != part.to) {
          std::copy_n(from, part.width, part.to);
        }
        part.to += part.width;
      }
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
  };

  // f(o, part) for parts that make up [outer, rows, inner] at `data`. A part
  // has whole rows, or a piece of one.
  template <typename F>
  void ForEachPart(int64_t rows, T* data, const F& f) const {
    const int64_t inner = view_.inner;
    const int64_t numel = view_.outer * rows * inner;
    if (numel == 0) return;
    const Tiles tiles(numel, kItem);
    ParallelFor(tiles.count, numel * kItem, [&](int64_t i) {
      PopulatePages(data, tiles.begin(i), tiles.end(i));
      int64_t at = tiles.begin(i);
      while (at < tiles.end(i)) {
        const int64_t o = at / (rows * inner);
        const int64_t row = at / inner % rows;
        const int64_t lane = at % inner;
        const int64_t left = tiles.end(i) - at;
        const bool whole = lane == 0 && left >= inner;
        const int64_t width = whole ? inner : std::min(left, inner - lane);
        const int64_t count = whole ? std::min(rows - row, left / inner) : 1;
        f(o, Part{row, row + count, lane, width, data + at});
        at += count * width;
      }
    });
  }

  // The share of one element of a slot in its gradient.
  void Share(const T* from, int64_t slot, int64_t n, T* to) const {
    if (reduce_ != IndexReduce::kMean) {
      std::copy_n(from, n, to);
      return;
    }
    if constexpr (HasReduceFor<T>(IndexReduce::kMean)) {
      using Sum = typename ReduceType<T, IndexReduce::kMean>::type;
      const int64_t count = counts_[slot] + include_self_;
      for (int64_t l = 0; l < n; ++l) {
        to[l] = static_cast<T>(DivideByCount(static_cast<Sum>(from[l]), count));
      }
    }
  }

  const AxisView& view_;
  const std::vector<int64_t>& slots_;
  IndexReduce reduce_;
  bool include_self_;
  std::vector<int64_t> counts_;  // of the positions that point to a slot
  std::vector<int64_t> last_;    // of them, for assign
};

// The gradient kernel of the operator `op`, linear in x and updates, of which
// it needs no more than the shapes. Either output may be null; x_grad may be
// out_grad.
template <typename T, typename Context>
void LinearIndexGradCpu(const Context& dev_ctx,
                        const char* op,
                        const DDim& x,
                        const DenseTensor& index,
                        const DDim& updates,
                        const DenseTensor& out_grad,
                        int axis,
                        IndexReduce reduce,
                        bool include_self,
                        DenseTensor* x_grad,
                        DenseTensor* updates_grad) {
  WithWorkingMemory(op, [&] {
    const AxisView view(x, updates, axis);
    const std::vector<int64_t> slots = ReadSlots(op, index, view.size);
    const LinearIndexGrad<T> gradient(view, slots, reduce, include_self);
    const KeptGrad kept(out_grad);
    if (updates_grad) {
      gradient.Updates(kept.data<T>(), AllocOutput<T>(dev_ctx, updates_grad));
    }
    // Last, since it may be written over out_grad.
    if (x_grad) gradient.X(kept.data<T>(), AllocOutput<T>(dev_ctx, x_grad));
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
