// The map between a strided view of a tensor x and a dense tensor `values`.
// Operators overwrite the view with `values`, or copy it into `values`.

#pragma once

#include <cstdint>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi::funcs::scatter_ops {

// Maps the elements of a strided view of x to those of the values.
class StridedView {
 public:
  struct Offsets {
    int64_t x;
    int64_t values;
  };

  // Elements along the innermost axis.
  struct Run {
    Offsets first;
    Offsets strides;
    int64_t length;
  };

  // `offset` is the offset in x of the first element of the view.
  explicit StridedView(int64_t offset) : offset_(offset) {}

  // Adds an axis inside the existing ones, with its strides in x and in the
  // values. To be called at least once and at most kMaxRank times. Axes of size
  // 1 are dropped, except for the first.
  void Append(int64_t dim, int64_t stride, int64_t value_stride) {
    numel_ *= dim;
    if (dim == 1 && rank_ > 0) return;
    for (int i = 0; i < rank_; ++i) axes_[i].span += (dim - 1) * stride;
    axes_[rank_++] = {dim, {stride, value_stride}, 0};
  }

  int64_t numel() const { return numel_; }

  // The offsets of the k-th element of the view, for GPU kernels.
  HOSTDEVICE Offsets Locate(int64_t k) const {
    Offsets at{offset_, 0};
    for (int a = rank_ - 1; a > 0; --a) {
      const int64_t outer = k / axes_[a].dim;
      const int64_t i = k - outer * axes_[a].dim;
      at.x += i * axes_[a].strides.x;
      at.values += i * axes_[a].strides.values;
      k = outer;
    }
    at.x += k * axes_[0].strides.x;
    at.values += k * axes_[0].strides.values;
    return at;
  }

  // Clips each run along the innermost axis to offsets [begin, end) of x and
  // calls f(Run) for each part that is not empty. Strides in x must be
  // positive.
  template <typename F>
  void ForEachRun(int64_t begin, int64_t end, const F& f) const {
    Visit(0, {offset_, 0}, begin, end, f);
  }

 private:
  static constexpr int kMaxRank = 4;

  struct Axis {
    int64_t dim;
    Offsets strides;
    int64_t span;  // distance in x from the first to the last element of the
                   // axes inside this one
  };

  // ForEachRun for the axes from `i` on.
  template <typename F>
  void Visit(int i, Offsets at, int64_t begin, int64_t end, const F& f) const {
    const Axis& axis = axes_[i];
    // Skips the indices whose elements all precede `begin`.
    int64_t k = CountIndicesBefore(axis, begin - axis.span - at.x);
    const int64_t k_end = CountIndicesBefore(axis, end - at.x);
    at.x += k * axis.strides.x;
    at.values += k * axis.strides.values;
    // The second condition, which implies the first, bounds the recursion for
    // GCC, which would otherwise inline it and warn falsely (-Warray-bounds).
    if (i == rank_ - 1 || i == kMaxRank - 1) {
      if (k < k_end) f(Run{at, axis.strides, k_end - k});
      return;
    }
    for (; k < k_end; ++k) {
      Visit(i + 1, at, begin, end, f);
      at.x += axis.strides.x;
      at.values += axis.strides.values;
    }
  }

  // The number of indices i of an axis with i * strides.x < distance.
  static int64_t CountIndicesBefore(const Axis& axis, int64_t distance) {
    if (distance <= 0) return 0;
    if (distance > (axis.dim - 1) * axis.strides.x) return axis.dim;
    return (distance - 1) / axis.strides.x + 1;
  }

  int64_t offset_;
  int64_t numel_ = 1;
  int rank_ = 0;
  Axis axes_[kMaxRank];  // from the outermost to the innermost
};

// The product of the dims [begin, end).
inline int64_t ProductOf(const DDim& dims, int begin, int end) {
  return common::product(common::slice_ddim(dims, begin, end));
}

}  // namespace phi::funcs::scatter_ops
