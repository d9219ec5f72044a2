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

// Gradients of index_reduce on the CPU, on raw pointers: the same walk and the
// same guarantees as the forward pass.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/rounding.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/group_walk.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/row_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/grad_tensors.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// The updates of some lanes and their gradient, which may be null.
template <typename T>
struct UpdateGradRows {
  const T* updates;
  T* grads;
  int64_t stride;

  const T* update(int64_t position) const {
    return updates + position * stride;
  }
  T* grad(int64_t position) const { return grads + position * stride; }
};

template <typename T, IndexReduce kReduce>
class IndexReduceDifferentiator {
 public:
  IndexReduceDifferentiator(const AxisView& view,
                            const IndexGroups& groups,
                            bool include_self,
                            const IndexGradTensors<T>& tensors)
      : view_(view),
        groups_(groups),
        include_self_(include_self),
        tensors_(tensors) {}

  void Run() const {
    GroupWalk<IndexReduceDifferentiator>(
        view_, groups_, tensors_.x_grad != nullptr, *this)
        .Run(sizeof(T));
  }

  // Most of x_grad is stored by the groups, an element at a time.
  Stores OutputStores() const { return Stores::kOrdinary; }

  void Copy(const TileStores& stores, int64_t offset, int64_t n) const {
    stores.Copy(
        tensors_.x_grad + offset, tensors_.out_grad + offset, n * sizeof(T));
  }

  UpdateGradRows<T> Rows(int64_t offset, int64_t stride) const {
    return {tensors_.updates + offset,
            tensors_.updates_grad ? tensors_.updates_grad + offset : nullptr,
            stride};
  }

  // A copy of the updates of kNarrowLanes lanes and of their gradients, in
  // which those of one position are neighbours. Allocated by the first Load,
  // since tasks with fewer lanes than that never load.
  class PackedUpdates {
   public:
    explicit PackedUpdates(const IndexReduceDifferentiator& owner)
        : tensors_(owner.tensors_),
          groups_(owner.groups_),
          inner_(owner.view_.inner) {}

    template <typename Lanes>
    void Load(const GroupTask& task, const Lanes& lanes, int64_t offset) {
      if (!updates_) Allocate();
      const T* updates = tensors_.updates + offset;
      groups_.ForEachPosition(task.group_begin, task.group_end, [&](int64_t p) {
        lanes.Pack(updates, inner_, p, updates_.get());
      });
    }
    UpdateGradRows<T> rows() const {
      return {updates_.get(), grads_.get(), kNarrowLanes};
    }
    template <typename Lanes>
    void Store(const GroupTask& task, const Lanes& lanes, int64_t offset) {
      if (!grads_) return;
      T* grads = tensors_.updates_grad + offset;
      groups_.ForEachPosition(task.group_begin, task.group_end, [&](int64_t p) {
        lanes.Unpack(grads_.get(), inner_, p, grads);
      });
    }

   private:
    void Allocate() {
      const int64_t size = groups_.positions() * kNarrowLanes;
      updates_.reset(new T[size]);
      if (tensors_.updates_grad) grads_.reset(new T[size]);
    }

    const IndexGradTensors<T>& tensors_;
    const IndexGroups& groups_;
    int64_t inner_;
    std::unique_ptr<T[]> updates_;
    std::unique_ptr<T[]> grads_;
  };

  template <typename Lanes>
  void Group(const Lanes& lanes,
             int64_t g,
             int64_t x_offset,
             const UpdateGradRows<T>& rows) const {
    const auto work = [&] { Differentiate(lanes, g, x_offset, rows); };
    if constexpr (Lanes::kCopied) {
      work();  // too few lanes
    } else {
      CallVectorisedForHalf<T>(work);
    }
  }

 private:
  using Sum = typename ReduceType<T, kReduce>::type;

  template <typename Lanes>
  void Differentiate(const Lanes& lanes,
                     int64_t g,
                     int64_t x_offset,
                     const UpdateGradRows<T>& rows) const {
    T* x_grad = tensors_.x_grad ? tensors_.x_grad + x_offset : nullptr;
    // Copy() has put out_grad into x_grad for narrow lanes. Reading it there
    // touches memory that is written anyway, instead of out_grad as well.
    const T* out_grad =
        Lanes::kCopied && x_grad ? x_grad : tensors_.out_grad + x_offset;
    Sum grad[Lanes::kMax];
    for (int64_t l = 0; l < lanes.size(); ++l) {
      grad[l] = WidenedTo<Sum>(out_grad[lanes.x(l)]);
    }
    const T* x = tensors_.x + x_offset;
    if constexpr (kReduce == IndexReduce::kMul) {
      Product(lanes, g, x, rows, grad, x_grad);
    } else {
      Extreme(lanes, g, x, rows, grad, x_grad);
    }
  }

  // Evenly among the elements that are the maximum or minimum.
  template <typename Lanes>
  void Extreme(const Lanes& lanes,
               int64_t g,
               const T* x,
               const UpdateGradRows<T>& rows,
               Sum* grad,
               T* x_grad) const {
    // Loops over floats alone become vector instructions; they count exactly up
    // to this many.
    constexpr int64_t kExact = 1 << 24;
    groups_.size(g) < kExact
        ? ExtremeCountedIn<Sum>(lanes, g, x, rows, grad, x_grad)
        : ExtremeCountedIn<int64_t>(lanes, g, x, rows, grad, x_grad);
  }

  template <typename Count, typename Lanes>
  void ExtremeCountedIn(const Lanes& lanes,
                        int64_t g,
                        const T* x,
                        const UpdateGradRows<T>& rows,
                        Sum* grad,
                        T* x_grad) const {
    Sum best[Lanes::kMax];
    Count ties[Lanes::kMax];
    FindBest(lanes, g, x, rows, best);
    for (int64_t l = 0; l < lanes.size(); ++l) {
      ties[l] = include_self_ ? OneIf<Count>(x[lanes.x(l)], best[l]) : Count(0);
    }
    // Rows of gradients are fetched here, ahead of the loop that fills them. An
    // effect also keeps GCC from doing two rows in one pass, which it then
    // makes no vector instructions of.
    for (const int64_t* p = groups_.begin(g); p != groups_.end(g); ++p) {
      if (rows.grads) {
        PrefetchStart(rows.grad(*groups_.Ahead(p)), lanes.size());
      }
      const T* row = rows.update(*p);
      for (int64_t l = 0; l < lanes.size(); ++l) {
        ties[l] += OneIf<Count>(row[l], best[l]);
      }
    }
    for (int64_t l = 0; l < lanes.size(); ++l) {
      grad[l] /= static_cast<Sum>(ties[l]);
    }
    if (x_grad) {
      for (int64_t l = 0; l < lanes.size(); ++l) {
        const bool wins = include_self_ & IsBest(x[lanes.x(l)], best[l]);
        x_grad[lanes.x(l)] = RoundedTo<T>(ValueIf(wins, grad[l]));
      }
    }
    if (!rows.grads) return;
    for (const int64_t* p = groups_.begin(g); p != groups_.end(g); ++p) {
      const T* row = rows.update(*p);
      T* out = rows.grad(*p);
      for (int64_t l = 0; l < lanes.size(); ++l) {
        out[l] = RoundedTo<T>(ValueIf(IsBest(row[l], best[l]), grad[l]));
      }
    }
  }

  // The maximum or minimum.
  template <typename Lanes>
  void FindBest(const Lanes& lanes,
                int64_t g,
                const T* x,
                const UpdateGradRows<T>& rows,
                Sum* best) const {
    const T* first = rows.update(*groups_.begin(g));
    for (int64_t l = 0; l < lanes.size(); ++l) {
      best[l] = WidenedTo<Sum>(include_self_ ? x[lanes.x(l)] : first[l]);
    }
    for (const int64_t* p = groups_.begin(g); p != groups_.end(g); ++p) {
      PrefetchStart(rows.update(*groups_.Ahead(p)), lanes.size());
      const T* row = rows.update(*p);
      for (int64_t l = 0; l < lanes.size(); ++l) {
        best[l] = Combine<kReduce>(best[l], WidenedTo<Sum>(row[l]));
      }
    }
  }

  static bool IsBest(T value, Sum best) {
    return SameValue(WidenedTo<Sum>(value), best);
  }

  template <typename Count>
  static Count OneIf(T value, Sum best) {
    const bool same = IsBest(value, best);
    if constexpr (std::is_floating_point<Count>::value) {
      return ValueIf(same, Count(1));
    } else {
      return same;
    }
  }

  // Each factor gets the product of the ones before it times the product of
  // the ones after it, so that zeros need no special care.
  template <typename Lanes>
  void Product(const Lanes& lanes,
               int64_t g,
               const T* x,
               const UpdateGradRows<T>& rows,
               Sum* grad,
               T* x_grad) const {
    if (rows.grads) {
      Sum before[Lanes::kMax];
      for (int64_t l = 0; l < lanes.size(); ++l) {
        before[l] = include_self_ ? Factor(x[lanes.x(l)]) : Sum(1);
      }
      const int64_t step = PrefixStep(groups_.size(g), lanes.size());
      for (int64_t l = 0; l < lanes.size(); l += step) {
        const int64_t width = std::min(step, lanes.size() - l);
        UpdateProducts(g, rows, l, width, before + l, grad + l);
      }
    } else {
      for (const int64_t* p = groups_.begin(g); p != groups_.end(g); ++p) {
        Multiply(lanes.size(), rows.update(*p), grad);
      }
    }
    if (!x_grad) return;
    for (int64_t l = 0; l < lanes.size(); ++l) {
      x_grad[lanes.x(l)] = include_self_ ? RoundedTo<T>(grad[l]) : T{};
    }
  }

  // Writes the gradients of lanes [first, first + width) of a group's updates,
  // and leaves grad multiplied by all of the updates.
  void UpdateProducts(int64_t g,
                      const UpdateGradRows<T>& rows,
                      int64_t first,
                      int64_t width,
                      Sum* before,
                      Sum* grad) const {
    const int64_t* begin = groups_.begin(g);
    const int64_t n = groups_.size(g);
    std::vector<Sum> wide(kSumIsT ? 0 : n * width);
    const auto prefix = [&](int64_t i) {
      if constexpr (kSumIsT) {
        return rows.grad(begin[i]) + first;
      } else {
        return wide.data() + i * width;
      }
    };
    for (int64_t i = 0; i < n; ++i) {
      const int64_t ahead = *groups_.Ahead(begin + i);
      PrefetchStart(rows.update(ahead) + first, width);
      PrefetchStart(rows.grad(ahead) + first, width);
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
    constexpr int64_t kRoom = 1 << 20;
    if (kSumIsT) return lanes;
    return std::max<int64_t>(1, std::min(lanes, kRoom / n));
  }

  static constexpr bool kSumIsT = std::is_same<Sum, T>::value;

  const AxisView& view_;
  const IndexGroups& groups_;
  bool include_self_;
  IndexGradTensors<T> tensors_;
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
