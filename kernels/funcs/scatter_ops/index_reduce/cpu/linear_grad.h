// Gradients of assign, sum and mean on the CPU: the gradient of updates gathers
// slices of out_grad, that of x copies out_grad with the updated slices kept,
// scaled or cleared.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/convert_rows.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/normalized_index.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// Unless kIsMean, elements are only moved, and T is a storage type.
template <typename T, bool kIsMean>
class LinearIndexGrad {
 public:
  LinearIndexGrad(const AxisView& view,
                  const NormalizedIndex& index,
                  IndexReduce reduce,
                  bool include_self)
      : view_(view),
        index_(index),
        reduce_(reduce),
        // Assigning never includes x.
        include_self_(include_self && reduce != IndexReduce::kAssign) {
    if (!kIsMean) return;
    counts_.resize(view.size);
    index.ForEach([&](int64_t, int64_t slice) { ++counts_[slice]; });
  }

  void ComputeUpdatesGrad(const T* out_grad, T* updates_grad) const {
    const bool is_assign = reduce_ == IndexReduce::kAssign;
    std::vector<int64_t> last(is_assign ? view_.size : 0);
    if (is_assign) {
      index_.ForEach(
          [&](int64_t entry, int64_t slice) { last[slice] = entry; });
    }
    const auto find_sources = [&](int64_t begin, int64_t n, int64_t* sources) {
      // `slices` may alias `sources`.
      const int64_t* slices = index_.Read(begin, n, sources);
      for (int64_t i = 0; i < n; ++i) {
        const bool has_source = !is_assign || last[slices[i]] == begin + i;
        // The slice or -1, without a branch.
        sources[i] = slices[i] | (static_cast<int64_t>(has_source) - 1);
      }
    };
    GatherRows(view_.length, out_grad, updates_grad, find_sources);
  }

  // x_grad may be out_grad.
  void ComputeXGrad(const T* out_grad, T* x_grad) const {
    if (include_self_ && reduce_ == IndexReduce::kSum) {
      ParallelCopy(x_grad,
                   out_grad,
                   view_.outer * view_.size * view_.inner * kElementBytes);
      return;
    }
    std::vector<uint8_t> is_cleared(view_.size);
    if (!include_self_) {
      index_.ForEach([&](int64_t, int64_t slice) { is_cleared[slice] = 1; });
    }
    GatherRows(view_.size,
               out_grad,
               x_grad,
               [&](int64_t begin, int64_t n, int64_t* sources) {
                 for (int64_t i = 0; i < n; ++i) {
                   sources[i] = (begin + i) ^ -int64_t{is_cleared[begin + i]};
                 }
               });
  }

 private:
  static constexpr int64_t kElementBytes = sizeof(T);
  static constexpr int64_t kMaxRows = 512;  // rows per call of find_sources

  // Writes a tensor [outer, rows, inner] to `to`. A row is zeros or a slice of
  // out_grad; if kIsMean, a slice with entries is divided by its number of
  // terms. find_sources(begin, n, sources) stores the slices of the n rows from
  // `begin` on, or negative numbers for zeros.
  template <typename FindSources>
  void GatherRows(int64_t rows,
                  const T* out_grad,
                  T* to,
                  const FindSources& find_sources) const {
    const int64_t inner = view_.inner;
    const int64_t numel = view_.outer * rows * inner;
    if (numel == 0) return;
    const Tiles tiles(numel, kElementBytes);
    ParallelFor(tiles.count, numel * kElementBytes, [&](int64_t i) {
      int64_t sources[kMaxRows];
      for (int64_t offset = tiles.begin(i); offset < tiles.end(i);) {
        const int64_t o = offset / (rows * inner);
        const int64_t row = offset / inner % rows;
        const int64_t l = offset % inner;
        const int64_t rest = tiles.end(i) - offset;
        const bool is_whole_row = l == 0 && rest >= inner;
        const int64_t width = is_whole_row ? inner : std::min(rest, inner - l);
        const int64_t n =
            is_whole_row ? std::min({rows - row, rest / inner, kMaxRows}) : 1;
        find_sources(row, n, sources);
        const T* from = out_grad + o * view_.size * inner + l;
        const auto write = [&] {
          inner == 1 ? WriteElements(from, sources, n, to + offset)
                     : WriteRows(from, sources, n, width, to + offset);
        };
        kIsMean ? CallVectorizedIf<kIsHalf<T>>(write) : write();
        offset += n * width;
      }
    });
  }

  void WriteElements(const T* from,
                     const int64_t* sources,
                     int64_t n,
                     T* to) const {
    // Branches on the index are mispredicted, unless it is short and repeated.
    constexpr int64_t kMaxPredictable = 64;
    const bool is_predictable = view_.outer > 1 && n <= kMaxPredictable;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t slice = sources[i];
      if constexpr (!kIsMean && sizeof(T) <= 8) {
        if (!is_predictable) {
          // For zeros, reads slice ~slice, which in x_grad is the row's own:
          // x_grad may be out_grad, whose other slices other threads write.
          const int64_t sign = slice >> 63;
          to[i] = static_cast<T>(from[slice ^ sign] & ~sign);
          continue;
        }
      }
      to[i] = slice < 0 ? T{} : from[slice];
      if constexpr (kIsMean) {
        if (slice >= 0 && counts_[slice] > 0) to[i] = Divide(to[i], slice);
      }
    }
  }

  void WriteRows(const T* from,
                 const int64_t* sources,
                 int64_t n,
                 int64_t width,
                 T* to) const {
    constexpr int64_t kPrefetchDistance = 8;
    for (int64_t i = 0; i < n; ++i, to += width) {
      if (i + kPrefetchDistance < n && sources[i + kPrefetchDistance] >= 0) {
        PrefetchRow(from + sources[i + kPrefetchDistance] * view_.inner, width);
      }
      if (sources[i] < 0) {
        std::fill_n(to, width, T{});
        continue;
      }
      const T* row = from + sources[i] * view_.inner;
      if constexpr (kIsMean) {
        if (counts_[sources[i]] > 0) {
          for (int64_t l = 0; l < width; ++l) {
            to[l] = Divide(row[l], sources[i]);
          }
          continue;
        }
      }
      if (row != to) std::memcpy(to, row, width * kElementBytes);
    }
  }

  // Divides an element of the gradient of a slice by the number of its terms.
  T Divide(T element, int64_t slice) const {
    using Sum = ReduceType<T, IndexReduce::kMean>;
    const int64_t count = counts_[slice] + include_self_;
    return RoundTo<T>(DivideByCount(WidenTo<Sum>(element), count));
  }

  const AxisView& view_;
  NormalizedIndex index_;
  IndexReduce reduce_;
  bool include_self_;
  std::vector<int64_t> counts_;  // entries per slice, for mean
};

// The gradient kernel of the linear reductions. It reads only the shapes of x
// and updates. Either output may be null; x_grad may be the same Tensor as
// out_grad.
template <typename T, typename Context>
void IndexReduceGradInto(const Context& dev_ctx,
                         LinearReduces reduces,
                         const IndexReduceCall& call,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates,
                         const DenseTensor& /*out*/,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  CheckOutGrad("scatter_grad", out_grad, x.dims(), x_grad);
  const AxisView view(x, index, call.axis);
  const NormalizedIndex normalized(index, view);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  ResizeLike(x, x_grad);
  ResizeLike(updates, updates_grad);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr bool kIsMean = decltype(constant)::value == IndexReduce::kMean;
    using Element = std::conditional_t<kIsMean, T, StorageType<T>>;
    const LinearIndexGrad<Element, kIsMean> gradient(
        view, normalized, call.reduce, call.include_self);
    const auto* from = reinterpret_cast<const Element*>(DataOrNull<T>(dout));
    if (updates_grad) {
      gradient.ComputeUpdatesGrad(
          from,
          reinterpret_cast<Element*>(
              AllocUpdatesGrad<T>(dev_ctx, view, updates_grad)));
    }
    // Last: x_grad may alias out_grad.
    if (x_grad) {
      gradient.ComputeXGrad(
          from, reinterpret_cast<Element*>(dev_ctx.template Alloc<T>(x_grad)));
    }
  });
}

}  // namespace phi::funcs::scatter_ops
