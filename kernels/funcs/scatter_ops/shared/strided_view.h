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

// The part of x that select_scatter and diagonal_scatter replace: where in x
// its elements lie, where in the values that replace them, and what the two
// accept.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi::funcs::scatter_ops {

// Elements at fixed strides of a row-major tensor, and the position of each in
// a dense tensor of values.
class StridedView {
 public:
  struct Axis {
    int64_t dim;
    int64_t stride;
    int64_t value_stride;
    int64_t reach;  // in x, from the first to the last element of one index
  };

  explicit StridedView(int64_t offset) : offset_(offset) {}

  // Adds the next inner axis: `stride` in x, `value_stride` in the values. A
  // view has one at least; others of one index are left out.
  void Append(int64_t dim, int64_t stride, int64_t value_stride) {
    numel_ *= dim;
    if (dim == 1 && !axes_.empty()) return;
    for (Axis& outer : axes_) outer.reach += (dim - 1) * stride;
    axes_.push_back({dim, stride, value_stride, 0});
  }

  int64_t numel() const { return numel_; }

  // The first element, in x.
  int64_t offset() const { return offset_; }

  // Axes are ordered from the outermost to the innermost.
  int rank() const { return static_cast<int>(axes_.size()); }
  const Axis& axis(int i) const { return axes_[i]; }

  // Cuts the elements that lie in [begin, end) of x into runs along the
  // innermost axis and calls
  // f(position in x, stride, position in values, value stride, length).
  template <typename F>
  void ForEachRun(int64_t begin, int64_t end, const F& f) const {
    Visit(0, offset_, 0, begin, end, f);
  }

 private:
  // The same for the axes from `i` on. Their first element is `at` in x and
  // `from` in the values.
  template <typename F>
  void Visit(int i,
             int64_t at,
             int64_t from,
             int64_t begin,
             int64_t end,
             const F& f) const {
    const Axis& axis = axes_[i];
    int64_t k = IndexesWithin(axis, begin - axis.reach - at);
    const int64_t last = IndexesWithin(axis, end - at);
    at += k * axis.stride;
    from += k * axis.value_stride;
    if (i == rank() - 1) {
      if (k < last) f(at, axis.stride, from, axis.value_stride, last - k);
      return;
    }
    for (; k < last; ++k) {
      Visit(i + 1, at, from, begin, end, f);
      at += axis.stride;
      from += axis.value_stride;
    }
  }

  // How many indexes of an axis lie less than `distance` behind its first one.
  static int64_t IndexesWithin(const Axis& axis, int64_t distance) {
    if (distance <= 0) return 0;
    if (distance > (axis.dim - 1) * axis.stride) return axis.dim;
    return (distance - 1) / axis.stride + 1;
  }

  int64_t offset_;
  int64_t numel_ = 1;
  std::vector<Axis> axes_;
};

// True unless the two shapes are known to differ.
inline bool SameDims(const DDim& a, const DDim& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    if (!SameDim(a[i], b[i])) return false;
  }
  return true;
}

// The product of the dims [begin, end).
inline int64_t ProductOf(const DDim& dims, int begin, int end) {
  return common::product(common::slice_ddim(dims, begin, end));
}

// Checks what is known of the arguments of select_scatter and returns axis in
// [0, rank). Dims that are unknown yet pass: the kernel asks again.
inline int CheckSelectScatter(const DDim& x_dims,
                              const DDim& values_dims,
                              int axis,
                              int64_t index) {
  const int at = NormalizeAxis("select_scatter", "axis", axis, x_dims.size());
  std::vector<int64_t> wanted = common::vectorize(x_dims);
  wanted.erase(wanted.begin() + at);
  if (!SameDims(values_dims, common::make_ddim(wanted))) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(select_scatter) The shape of values should be the shape of x without "
        "axis %d, [%s], but received [%s].",
        axis,
        common::make_ddim(wanted),
        values_dims));
  }
  const int64_t size = x_dims[at];
  if (size >= 0 && (index < -size || index >= size)) {
    PADDLE_THROW(common::errors::OutOfRange(
        "(select_scatter) The value of index should be in [%d, %d) for axis %d "
        "of x of size %d, but received %d.",
        -size,
        size,
        axis,
        size,
        index));
  }
  return at;
}

// x without `axis`, at `index` of it.
inline StridedView SelectView(const DDim& x_dims,
                              const DDim& values_dims,
                              int axis,
                              int64_t index) {
  const int at = CheckSelectScatter(x_dims, values_dims, axis, index);
  if (index < 0) index += x_dims[at];
  const int64_t inner = ProductOf(x_dims, at + 1, x_dims.size());
  StridedView view(index * inner);
  view.Append(ProductOf(x_dims, 0, at), x_dims[at] * inner, inner);
  view.Append(inner, 1, 1);
  return view;
}

struct DiagonalAxes {
  int row;
  int column;
};

// The length of a diagonal of a matrix; 0 if `offset` is past its end, -1 if a
// dim is not known yet.
inline int64_t DiagonalLength(int64_t rows, int64_t columns, int64_t offset) {
  if (rows < 0 || columns < 0) return -1;
  const int64_t length = offset < 0 ? std::min(rows + offset, columns)
                                    : std::min(rows, columns - offset);
  return std::max<int64_t>(0, length);
}

// The other axes of x, then the diagonal.
inline DDim DiagonalShape(const DDim& x_dims,
                          const DiagonalAxes& axes,
                          int64_t offset) {
  std::vector<int64_t> shape = common::vectorize(x_dims);
  shape.erase(shape.begin() + std::max(axes.row, axes.column));
  shape.erase(shape.begin() + std::min(axes.row, axes.column));
  shape.push_back(
      DiagonalLength(x_dims[axes.row], x_dims[axes.column], offset));
  return common::make_ddim(shape);
}

// Checks what is known of the arguments of diagonal_scatter and returns its
// axes in [0, rank). Dims that are unknown yet pass: the kernel asks again.
inline DiagonalAxes CheckDiagonalScatter(const DDim& x_dims,
                                         const DDim& y_dims,
                                         int64_t offset,
                                         int axis1,
                                         int axis2) {
  constexpr const char* kOp = "diagonal_scatter";
  const DiagonalAxes axes{NormalizeAxis(kOp, "axis1", axis1, x_dims.size()),
                          NormalizeAxis(kOp, "axis2", axis2, x_dims.size())};
  if (axes.row == axes.column) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) The values of axis1 and axis2 should be different axes of x, but "
        "received %d and %d.",
        kOp,
        axis1,
        axis2));
  }
  const DDim wanted = DiagonalShape(x_dims, axes, offset);
  if (!SameDims(y_dims, wanted)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) The shape of y should be the shape of diagonal(x, offset=%d, "
        "axis1=%d, axis2=%d), [%s], but received [%s].",
        kOp,
        offset,
        axis1,
        axis2,
        wanted,
        y_dims));
  }
  return axes;
}

// The diagonals of x between two axes; y has them along its last axis.
inline StridedView DiagonalView(const DDim& x_dims,
                                const DDim& y_dims,
                                int64_t offset,
                                int axis1,
                                int axis2) {
  const DiagonalAxes axes =
      CheckDiagonalScatter(x_dims, y_dims, offset, axis1, axis2);
  // The outer of the two axes keeps its place among the other axes, so that
  // the view visits x from front to back.
  const int outer = std::min(axes.row, axes.column);
  const int inner = std::max(axes.row, axes.column);
  const int64_t length = y_dims[y_dims.size() - 1];
  const int64_t between = ProductOf(x_dims, outer + 1, inner);
  const int64_t after = ProductOf(x_dims, inner + 1, x_dims.size());
  const int64_t outer_stride = between * x_dims[inner] * after;
  const int start_axis = offset < 0 ? axes.row : axes.column;
  // An empty diagonal may start far outside x.
  const int64_t start = length == 0 ? 0 : std::abs(offset);
  StridedView view(start * (start_axis == outer ? outer_stride : after));
  view.Append(ProductOf(x_dims, 0, outer),
              x_dims[outer] * outer_stride,
              between * after * length);
  view.Append(length, outer_stride + after, 1);
  view.Append(between, x_dims[inner] * after, after * length);
  view.Append(after, 1, length);
  return view;
}

}  // namespace phi::funcs::scatter_ops
