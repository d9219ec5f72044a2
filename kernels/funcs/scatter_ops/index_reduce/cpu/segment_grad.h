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

// Gradients of mul, amax and amin on the CPU, segment by segment as in the
// forward pass: bitwise identical for every number of threads.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/segment_reduce.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/transposed_tiles.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// Computes the gradients of a slice of x and of the updates of its segment.
template <typename T, IndexReduce kReduce>
class SegmentDifferentiator {
 public:
  static constexpr bool kReadsOut = kReduce != IndexReduce::kMul;

  // `step` is the stride, in elements, between consecutive updates.
  SegmentDifferentiator(int64_t step,
                        const IndexSegments& segments,
                        bool include_self,
                        const IndexGradTensors<T>& tensors)
      : step_(step),
        segments_(segments),
        include_self_(include_self),
        tensors_(tensors) {}

  void operator()(int64_t g,
                  int64_t x_offset,
                  int64_t updates_offset,
                  int64_t n) const {
    CallVectorizedForHalf<T>(
        [&] { Differentiate(g, x_offset, updates_offset, n); });
  }

  // `inner` is an int64_t or a RowLength constant.
  template <typename Length>
  void Differentiate(int64_t g,
                     int64_t x_offset,
                     int64_t updates_offset,
                     Length inner) const {
    Sum grad[kMaxInner];
    for (int64_t l = 0; l < inner; ++l) {
      grad[l] = WidenTo<Sum>(tensors_.out_grad[x_offset + l]);
    }
    const Rows rows{tensors_.updates + updates_offset,
                    tensors_.updates_grad
                        ? tensors_.updates_grad + updates_offset
                        : nullptr,
                    step_};
    const T* x = tensors_.x + x_offset;
    T* x_grad = tensors_.x_grad ? tensors_.x_grad + x_offset : nullptr;
    if constexpr (kReduce == IndexReduce::kMul) {
      DifferentiateProduct(inner, g, x, rows, grad, x_grad);
    } else {
      const T* extremum = tensors_.out + x_offset;
      // Ties are counted in the narrowest type that fits the segment.
      segments_.size(g) <= std::numeric_limits<int32_t>::max()
          ? DifferentiateExtremum<int32_t>(
                inner, g, x, extremum, rows, grad, x_grad)
          : DifferentiateExtremum<int64_t>(
                inner, g, x, extremum, rows, grad, x_grad);
    }
  }

 private:
  using Sum = typename ReduceType<T, kReduce>::type;

  // The inner elements of the updates and of their gradient, which may be null.
  struct Rows {
    const T* updates;
    T* grads;
    int64_t step;

    const T* update(int64_t entry) const { return updates + entry * step; }
    T* grad(int64_t entry) const { return grads + entry * step; }
  };

  // Shares the gradient evenly among the elements that equal the extremum.
  template <typename Count, typename Length>
  void DifferentiateExtremum(Length inner,
                             int64_t g,
                             const T* x,
                             const T* extremum,
                             const Rows& rows,
                             Sum* grad,
                             T* x_grad) const {
    Count ties[kMaxInner];
    for (int64_t l = 0; l < inner; ++l) {
      ties[l] = include_self_ & IsExtremum(x[l], extremum[l]);
    }
    // Also prefetches the rows of gradients for the loop that writes them. The
    // asm in Prefetch keeps GCC from fusing two rows, which it fails to
    // vectorize.
    for (const int64_t* p = segments_.begin(g); p != segments_.end(g); ++p) {
      PrefetchRow(rows.update(*segments_.EntryToPrefetch(p)), inner);
      if (rows.grads)
        PrefetchRow(rows.grad(*segments_.EntryToPrefetch(p)), inner);
      const T* row = rows.update(*p);
      for (int64_t l = 0; l < inner; ++l) {
        ties[l] += IsExtremum(row[l], extremum[l]);
      }
    }
    for (int64_t l = 0; l < inner; ++l) {
      grad[l] /= static_cast<Sum>(ties[l]);
    }
    if (x_grad) {
      for (int64_t l = 0; l < inner; ++l) {
        const bool is_extremum = include_self_ & IsExtremum(x[l], extremum[l]);
        x_grad[l] = RoundTo<T>(is_extremum ? grad[l] : Sum(0));
      }
    }
    if (!rows.grads) return;
    for (const int64_t* p = segments_.begin(g); p != segments_.end(g); ++p) {
      const T* row = rows.update(*p);
      T* out = rows.grad(*p);
      for (int64_t l = 0; l < inner; ++l) {
        out[l] = RoundTo<T>(IsExtremum(row[l], extremum[l]) ? grad[l] : Sum(0));
      }
    }
  }

  static bool IsExtremum(T value, T extremum) {
    return EqualOrBothNan(WidenTo<Sum>(value), WidenTo<Sum>(extremum));
  }

  // The gradient of a factor is the product of the factors before it times that
  // of the factors after it, which is exact with any number of zeros.
  template <typename Length>
  void DifferentiateProduct(Length inner,
                            int64_t g,
                            const T* x,
                            const Rows& rows,
                            Sum* grad,
                            T* x_grad) const {
    if (rows.grads) {
      Sum before[kMaxInner];
      for (int64_t l = 0; l < inner; ++l) {
        before[l] = include_self_ ? Factor(x[l]) : Sum(1);
      }
      const int64_t max_width = PrefixWidth(segments_.size(g), inner);
      for (int64_t l = 0; l < inner; l += max_width) {
        const int64_t width = std::min<int64_t>(max_width, inner - l);
        DifferentiateUpdates(g, rows, l, width, before + l, grad + l);
      }
    } else {
      for (const int64_t* p = segments_.begin(g); p != segments_.end(g); ++p) {
        Multiply(inner, rows.update(*p), grad);
      }
    }
    if (!x_grad) return;
    for (int64_t l = 0; l < inner; ++l) {
      x_grad[l] = include_self_ ? RoundTo<T>(grad[l]) : T{};
    }
  }

  // Writes the gradients of inner elements [first, first + width) of the
  // updates and multiplies grad by all of them.
  void DifferentiateUpdates(int64_t g,
                            const Rows& rows,
                            int64_t first,
                            int64_t width,
                            Sum* before,
                            Sum* grad) const {
    const int64_t* begin = segments_.begin(g);
    const int64_t n = segments_.size(g);
    std::vector<Sum> prefix_products(kSumIsT ? 0 : n * width);
    const auto prefix = [&](int64_t i) {
      if constexpr (kSumIsT) {
        return rows.grad(begin[i]) + first;
      } else {
        return prefix_products.data() + i * width;
      }
    };
    for (int64_t i = 0; i < n; ++i) {
      const int64_t prefetch = *segments_.EntryToPrefetch(begin + i);
      PrefetchRow(rows.update(prefetch) + first, width);
      PrefetchRow(rows.grad(prefetch) + first, width);
      std::copy_n(before, width, prefix(i));
      Multiply(width, rows.update(begin[i]) + first, before);
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      const Sum* products = prefix(i);
      T* out = rows.grad(begin[i]) + first;
      for (int64_t l = 0; l < width; ++l) {
        out[l] = RoundTo<T>(WrappingMul(products[l], grad[l]));
      }
      Multiply(width, rows.update(begin[i]) + first, grad);
    }
  }

  static void Multiply(int64_t width, const T* factors, Sum* products) {
    for (int64_t l = 0; l < width; ++l) {
      products[l] = WrappingMul(products[l], Factor(factors[l]));
    }
  }

  static Sum Factor(T value) { return Conjugate(WidenTo<Sum>(value)); }

  // Inner elements per DifferentiateUpdates: bounds the array of floats in
  // which half types store the prefix products of a long segment.
  static int64_t PrefixWidth(int64_t n, int64_t inner) {
    constexpr int64_t kMaxPrefixElements = 1 << 20;
    if (kSumIsT) return inner;
    return std::max<int64_t>(1, std::min(inner, kMaxPrefixElements / n));
  }

  static constexpr bool kSumIsT = std::is_same<Sum, T>::value;

  int64_t step_;
  const IndexSegments& segments_;
  bool include_self_;
  IndexGradTensors<T> tensors_;
};

template <typename T, IndexReduce kReduce>
void DifferentiateSegments(const AxisView& view,
                           const IndexSegments& segments,
                           bool include_self,
                           const IndexGradTensors<T>& tensors) {
  using Differentiator = SegmentDifferentiator<T, kReduce>;
  if constexpr (kHasTranspose<T>) {
    if (DifferentiateTransposed<Differentiator>(
            view, segments, include_self, tensors)) {
      return;
    }
  }
  ForEachSegment(view,
                 segments,
                 tensors.x_grad ? tensors.out_grad : nullptr,
                 tensors.x_grad,
                 Differentiator(view.inner, segments, include_self, tensors));
}

// The gradient kernel of the nonlinear reductions. Either output may be null.
template <typename T, typename Context>
void IndexReduceGradInto(const Context& dev_ctx,
                         NonlinearReduces reduces,
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
  const IndexSegments segments =
      BuildSegments(NormalizedIndex(op, index, view), view.size);
  ResizeLike(x, x_grad);
  ResizeLike(updates, updates_grad);
  const IndexGradTensors<T> tensors{
      DataOrNull<T>(x),
      DataOrNull<T>(updates),
      DataOrNull<T>(out),
      DataOrNull<T>(out_grad),
      x_grad ? dev_ctx.template Alloc<T>(x_grad) : nullptr,
      updates_grad ? AllocUpdatesGrad<T>(dev_ctx, view, updates_grad)
                   : nullptr};
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    DifferentiateSegments<T, decltype(constant)::value>(
        view, segments, call.include_self, tensors);
  });
}

}  // namespace phi::funcs::scatter_ops
