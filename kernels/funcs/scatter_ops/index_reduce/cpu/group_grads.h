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

// Gradients of mul, amax and amin on the CPU: the walk over groups of the
// forward pass, with its guarantees.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/grouped.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/lane_tile.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// Differentiates groups.
template <typename T, IndexReduce kReduce>
class GroupDifferentiator {
 public:
  static constexpr bool kReadsOut = kReduce != IndexReduce::kMul;

  // `step` elements lie between the lanes of positions that follow each other.
  GroupDifferentiator(int64_t step,
                      const IndexGroups& groups,
                      bool include_self,
                      const IndexGradTensors<T>& tensors)
      : step_(step),
        groups_(groups),
        include_self_(include_self),
        tensors_(tensors) {}

  void operator()(int64_t g,
                  int64_t x_offset,
                  int64_t updates_offset,
                  int64_t n) const {
    CallVectorisedForHalf<T>(
        [&] { Differentiate(g, x_offset, updates_offset, n); });
  }

  // The same for a number of lanes that may be a constant.
  template <typename Length>
  void Differentiate(int64_t g,
                     int64_t x_offset,
                     int64_t updates_offset,
                     Length lanes) const {
    Sum grad[kMostLanes];
    for (int64_t l = 0; l < lanes; ++l) {
      grad[l] = WidenedTo<Sum>(tensors_.out_grad[x_offset + l]);
    }
    const Rows rows{tensors_.updates + updates_offset,
                    tensors_.updates_grad
                        ? tensors_.updates_grad + updates_offset
                        : nullptr,
                    step_};
    const T* x = tensors_.x + x_offset;
    T* x_grad = tensors_.x_grad ? tensors_.x_grad + x_offset : nullptr;
    if constexpr (kReduce == IndexReduce::kMul) {
      Product(lanes, g, x, rows, grad, x_grad);
    } else {
      const T* best = tensors_.out + x_offset;
      Extreme(lanes, g, x, best, rows, grad, x_grad);
    }
  }

 private:
  using Sum = typename ReduceType<T, kReduce>::type;

  // The updates of some lanes and their gradient, which may be null.
  struct Rows {
    const T* updates;
    T* grads;
    int64_t step;

    const T* update(int64_t position) const {
      return updates + position * step;
    }
    T* grad(int64_t position) const { return grads + position * step; }
  };

  // Evenly among the elements that are the maximum or minimum.
  template <typename Length>
  void Extreme(Length lanes,
               int64_t g,
               const T* x,
               const T* best,
               const Rows& rows,
               Sum* grad,
               T* x_grad) const {
    groups_.size(g) <= std::numeric_limits<int32_t>::max()
        ? ExtremeCountedIn<int32_t>(lanes, g, x, best, rows, grad, x_grad)
        : ExtremeCountedIn<int64_t>(lanes, g, x, best, rows, grad, x_grad);
  }

  template <typename Count, typename Length>
  void ExtremeCountedIn(Length lanes,
                        int64_t g,
                        const T* x,
                        const T* best,
                        const Rows& rows,
                        Sum* grad,
                        T* x_grad) const {
    Count ties[kMostLanes];
    for (int64_t l = 0; l < lanes; ++l) {
      ties[l] = include_self_ & IsBest(x[l], best[l]);
    }
    // Rows of gradients are fetched here, ahead of the loop that fills them. An
    // effect also keeps GCC from doing two rows in one pass, which it then
    // makes no vector instructions of.
    for (const int64_t* p = groups_.begin(g); p != groups_.end(g); ++p) {
      PrefetchRow(rows.update(*groups_.Ahead(p)), lanes);
      if (rows.grads) PrefetchRow(rows.grad(*groups_.Ahead(p)), lanes);
      const T* row = rows.update(*p);
      for (int64_t l = 0; l < lanes; ++l) {
        ties[l] += IsBest(row[l], best[l]);
      }
    }
    for (int64_t l = 0; l < lanes; ++l) {
      grad[l] /= static_cast<Sum>(ties[l]);
    }
    if (x_grad) {
      for (int64_t l = 0; l < lanes; ++l) {
        const bool wins = include_self_ & IsBest(x[l], best[l]);
        x_grad[l] = RoundedTo<T>(wins ? grad[l] : Sum(0));
      }
    }
    if (!rows.grads) return;
    for (const int64_t* p = groups_.begin(g); p != groups_.end(g); ++p) {
      const T* row = rows.update(*p);
      T* out = rows.grad(*p);
      for (int64_t l = 0; l < lanes; ++l) {
        out[l] = RoundedTo<T>(IsBest(row[l], best[l]) ? grad[l] : Sum(0));
      }
    }
  }

  static bool IsBest(T value, T best) {
    return SameValue(WidenedTo<Sum>(value), WidenedTo<Sum>(best));
  }

  // Each factor gets the product of the ones before it times the product of
  // the ones after it, so that zeros need no special care.
  template <typename Length>
  void Product(Length lanes,
               int64_t g,
               const T* x,
               const Rows& rows,
               Sum* grad,
               T* x_grad) const {
    if (rows.grads) {
      Sum before[kMostLanes];
      for (int64_t l = 0; l < lanes; ++l) {
        before[l] = include_self_ ? Factor(x[l]) : Sum(1);
      }
      const int64_t step = PrefixStep(groups_.size(g), lanes);
      for (int64_t l = 0; l < lanes; l += step) {
        const int64_t width = std::min<int64_t>(step, lanes - l);
        UpdateProducts(g, rows, l, width, before + l, grad + l);
      }
    } else {
      for (const int64_t* p = groups_.begin(g); p != groups_.end(g); ++p) {
        Multiply(lanes, rows.update(*p), grad);
      }
    }
    if (!x_grad) return;
    for (int64_t l = 0; l < lanes; ++l) {
      x_grad[l] = include_self_ ? RoundedTo<T>(grad[l]) : T{};
    }
  }

  // Writes the gradients of lanes [first, first + width) of a group's updates,
  // and leaves grad multiplied by all of the updates.
  void UpdateProducts(int64_t g,
                      const Rows& rows,
                      int64_t first,
                      int64_t width,
                      Sum* before,
                      Sum* grad) const {
    const int64_t* begin = groups_.begin(g);
    const int64_t n = groups_.size(g);
    std::vector<Sum> kept(kSumIsT ? 0 : n * width);
    const auto prefix = [&](int64_t i) {
      if constexpr (kSumIsT) {
        return rows.grad(begin[i]) + first;
      } else {
        return kept.data() + i * width;
      }
    };
    for (int64_t i = 0; i < n; ++i) {
      const int64_t ahead = *groups_.Ahead(begin + i);
      PrefetchRow(rows.update(ahead) + first, width);
      PrefetchRow(rows.grad(ahead) + first, width);
      std::copy_n(before, width, prefix(i));
      Multiply(width, rows.update(begin[i]) + first, before);
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      const Sum* products = prefix(i);
      T* out = rows.grad(begin[i]) + first;
      for (int64_t l = 0; l < width; ++l) {
        out[l] = RoundedTo<T>(MulOf(products[l], grad[l]));
      }
      Multiply(width, rows.update(begin[i]) + first, grad);
    }
  }

  static void Multiply(int64_t width, const T* factors, Sum* products) {
    for (int64_t l = 0; l < width; ++l) {
      products[l] = MulOf(products[l], Factor(factors[l]));
    }
  }

  static Sum Factor(T value) { return ConjugateOf(WidenedTo<Sum>(value)); }

  // How many lanes to do at a time. The products of half types are kept in an
  // extra array of floats; doing fewer lanes bounds its size for a slot with
  // very many updates.
  static int64_t PrefixStep(int64_t n, int64_t lanes) {
    constexpr int64_t kMostKept = 1 << 20;
    if (kSumIsT) return lanes;
    return std::max<int64_t>(1, std::min(lanes, kMostKept / n));
  }

  static constexpr bool kSumIsT = std::is_same<Sum, T>::value;

  int64_t step_;
  const IndexGroups& groups_;
  bool include_self_;
  IndexGradTensors<T> tensors_;
};

// The gradients of x and of the updates that a group has.
template <typename T, IndexReduce kReduce>
void DifferentiateGroups(const AxisView& view,
                         const IndexGroups& groups,
                         bool include_self,
                         const IndexGradTensors<T>& tensors) {
  using Differentiator = GroupDifferentiator<T, kReduce>;
  if constexpr (kTurns<T>) {
    if (DifferentiateLaneTiles<Differentiator>(
            view, groups, include_self, tensors)) {
      return;
    }
  }
  ForEachGroup(view,
               groups,
               tensors.x_grad ? tensors.out_grad : nullptr,
               tensors.x_grad,
               Differentiator(view.inner, groups, include_self, tensors));
}

// The gradient kernel of an operator that is not linear. Either output may be
// null.
template <typename T, typename Context>
void IndexReduceGradInto(const Context& dev_ctx,
                         OtherReduces reduces,
                         const IndexReduceCall& call,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates,
                         const DenseTensor& out,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  const char* op = NameOf(call.op);
  CheckOutGrad(op, out_grad, x.dims(), x_grad);
  const AxisView view(x, index, call.axis);
  const IndexGroups groups = GroupSlots(IndexSlots(op, index, view), view.size);
  SizeGrad(x, x_grad);
  SizeGrad(updates, updates_grad);
  const IndexGradTensors<T> tensors{
      DataOrNull<T>(x),
      DataOrNull<T>(updates),
      DataOrNull<T>(out),
      DataOrNull<T>(out_grad),
      x_grad ? dev_ctx.template Alloc<T>(x_grad) : nullptr,
      updates_grad ? AllocUpdatesGrad<T>(dev_ctx, view, updates_grad)
                   : nullptr};
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    DifferentiateGroups<T, decltype(constant)::value>(
        view, groups, call.include_self, tensors);
  });
}

}  // namespace phi::funcs::scatter_ops
