// Gradients of mul, amax and amin on the CPU, segment by segment as in the
// forward pass: they do not depend on the number of threads.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/convert_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/element_grad.h"
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
  using Sum = ReduceType<T, kReduce>;

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
    CallVectorizedIf<kIsHalf<T>>(
        [&] { Differentiate(g, x_offset, updates_offset, n); });
  }

  static bool IsExtremum(T value, T extremum) {
    return EqualOrBothNan(WidenTo<Sum>(value), WidenTo<Sum>(extremum));
  }

  // Processes `length` <= kMaxInner inner elements of segment g, which start at
  // the offsets; `length` is an int64_t or a RowLength.
  template <typename Length>
  void Differentiate(int64_t g,
                     int64_t x_offset,
                     int64_t updates_offset,
                     Length length) const {
    Sum grad[kMaxInner];
    for (int64_t l = 0; l < length; ++l) {
      grad[l] = WidenTo<Sum>(tensors_.out_grad[x_offset + l]);
    }
    const IndexGradTensors<T> at = tensors_.At(x_offset, updates_offset);
    if constexpr (kReduce == IndexReduce::kMul) {
      DifferentiateProduct(length, g, at, grad);
    } else if (segments_.size(g) < std::numeric_limits<int32_t>::max()) {
      // Narrow counts are faster; one more than the segment has, for x.
      DifferentiateExtremum<int32_t>(length, g, at, grad);
    } else {
      DifferentiateExtremum<int64_t>(length, g, at, grad);
    }
  }

 private:
  // Shares the gradient evenly among the elements that equal the extremum.
  template <typename Count, typename Length>
  void DifferentiateExtremum(Length length,
                             int64_t g,
                             const IndexGradTensors<T>& at,
                             Sum* grad) const {
    const int64_t n = length;  // GCC ignores loop pragmas if it is a class
    const T* x = at.x;
    const T* extremum = at.out;
    Count ties[kMaxInner];
    // `&` instead of `&&` is branchless, so that the loop vectorizes.
    for (int64_t l = 0; l < n; ++l) {
      ties[l] = include_self_ & IsExtremum(x[l], extremum[l]);
    }
    // The asm in Prefetch also keeps GCC from merging two rows, after which it
    // does not vectorize the loop.
    for (const int64_t* p = segments_.begin(g); p != segments_.end(g); ++p) {
      const int64_t next = *segments_.EntryToPrefetch(p);
      PrefetchRow(at.updates + next * step_, length);
      if (at.updates_grad) PrefetchRow(at.updates_grad + next * step_, length);
      const T* row = at.updates + *p * step_;
      SCATTER_OPS_NO_UNROLL
      for (int64_t l = 0; l < n; ++l) {
        ties[l] += IsExtremum(row[l], extremum[l]);
      }
    }
    for (int64_t l = 0; l < n; ++l) {
      grad[l] /= static_cast<Sum>(ties[l]);
    }
    if (at.x_grad) {
      SCATTER_OPS_NO_UNROLL
      for (int64_t l = 0; l < n; ++l) {
        const bool is_extremum = include_self_ & IsExtremum(x[l], extremum[l]);
        at.x_grad[l] = SelectVectorized(is_extremum, RoundTo<T>(grad[l]), T{});
      }
    }
    if (!at.updates_grad) return;
    for (const int64_t* p = segments_.begin(g); p != segments_.end(g); ++p) {
      const T* row = at.updates + *p * step_;
      T* out = at.updates_grad + *p * step_;
      SCATTER_OPS_NO_UNROLL
      for (int64_t l = 0; l < n; ++l) {
        const bool is_extremum = IsExtremum(row[l], extremum[l]);
        out[l] = SelectVectorized(is_extremum, RoundTo<T>(grad[l]), T{});
      }
    }
  }

  // The gradient of a factor is out_grad times the conjugates of the other
  // factors: the product of those before it times that of those after it,
  // without a division, so that zeros are right. `grad` starts as out_grad, is
  // multiplied by the factors from the last on, and ends as the gradient of x.
  template <typename Length>
  void DifferentiateProduct(Length length,
                            int64_t g,
                            const IndexGradTensors<T>& at,
                            Sum* grad) const {
    if (at.updates_grad) {
      Sum before[kMaxInner];
      for (int64_t l = 0; l < length; ++l) {
        before[l] = include_self_ ? Factor(at.x[l]) : Sum(1);
      }
      // Limits the buffer of DifferentiateUpdates to 2^20 elements, or one per
      // entry.
      constexpr int64_t kMaxPrefixElements = 1 << 20;
      const int64_t max_width =
          kSumIsT
              ? length
              : std::max<int64_t>(1, kMaxPrefixElements / segments_.size(g));
      for (int64_t l = 0; l < length; l += max_width) {
        const int64_t width = std::min<int64_t>(max_width, length - l);
        DifferentiateUpdates(g, at, l, width, before + l, grad + l);
      }
    } else {
      for (const int64_t* p = segments_.begin(g); p != segments_.end(g); ++p) {
        Multiply(length, at.updates + *p * step_, grad);
      }
    }
    if (!at.x_grad) return;
    for (int64_t l = 0; l < length; ++l) {
      at.x_grad[l] = include_self_ ? RoundTo<T>(grad[l]) : T{};
    }
  }

  // Writes the gradients of the updates for inner elements [first, first +
  // width). `before` and `grad` point to element `first`; both are multiplied
  // by the factors of all updates. The products before a factor are stored
  // where its gradient goes, or in a buffer if T would round them.
  void DifferentiateUpdates(int64_t g,
                            const IndexGradTensors<T>& at,
                            int64_t first,
                            int64_t width,
                            Sum* before,
                            Sum* grad) const {
    const int64_t* begin = segments_.begin(g);
    const int64_t n = segments_.size(g);
    std::vector<Sum> prefix_products(kSumIsT ? 0 : n * width);
    const auto prefix = [&](int64_t i) {
      if constexpr (kSumIsT) {
        return at.updates_grad + begin[i] * step_ + first;
      } else {
        return prefix_products.data() + i * width;
      }
    };
    for (int64_t i = 0; i < n; ++i) {
      const int64_t prefetch = *segments_.EntryToPrefetch(begin + i);
      PrefetchRow(at.updates + prefetch * step_ + first, width);
      PrefetchRow(at.updates_grad + prefetch * step_ + first, width);
      std::copy_n(before, width, prefix(i));
      Multiply(width, at.updates + begin[i] * step_ + first, before);
    }
    for (int64_t i = n - 1; i >= 0; --i) {
      const Sum* products = prefix(i);
      T* out = at.updates_grad + begin[i] * step_ + first;
      for (int64_t l = 0; l < width; ++l) {
        out[l] = RoundTo<T>(products[l] * grad[l]);
      }
      Multiply(width, at.updates + begin[i] * step_ + first, grad);
    }
  }

  static void Multiply(int64_t width, const T* factors, Sum* products) {
    for (int64_t l = 0; l < width; ++l) {
      products[l] = products[l] * Factor(factors[l]);
    }
  }

  static Sum Factor(T value) { return Conjugate(WidenTo<Sum>(value)); }

  static constexpr bool kSumIsT = std::is_same<Sum, T>::value;

  int64_t step_;
  const IndexSegments& segments_;
  bool include_self_;
  IndexGradTensors<T> tensors_;
};

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
  CheckOutGrad("scatter_grad", out_grad, x.dims(), x_grad);
  const AxisView view(x, index, call.axis);
  const NormalizedIndex normalized(index, view);
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
    constexpr IndexReduce kReduce = decltype(constant)::value;
    using Differentiator = SegmentDifferentiator<T, kReduce>;
    if constexpr (Differentiator::kReadsOut) {
      if (DifferentiateElementwise<Differentiator>(
              view, normalized, call.include_self, tensors)) {
        return;
      }
    }
    const IndexSegments segments = BuildSegments(normalized);
    using Sum = typename Differentiator::Sum;
    if constexpr (sizeof(Sum) <= 8) {
      if (DifferentiateTransposed<SegmentDifferentiator<Sum, kReduce>, Sum>(
              view, segments, call.include_self, tensors)) {
        return;
      }
    }
    // Slices without an update get out_grad as their gradient.
    ForEachSegment(
        view,
        segments,
        tensors.x_grad ? tensors.out_grad : nullptr,
        tensors.x_grad,
        Differentiator(view.inner, segments, call.include_self, tensors));
  });
}

}  // namespace phi::funcs::scatter_ops
