// Argument checks of diagonal_scatter and the view that it replaces.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi::funcs::scatter_ops {

struct DiagonalAxes {
  int row;
  int column;
};

// The length of a diagonal of a matrix: 0 if `offset` is past its end, -1 if a
// dim is unknown.
inline int64_t DiagonalLength(int64_t rows, int64_t columns, int64_t offset) {
  if (rows < 0 || columns < 0) return -1;
  const int64_t length = offset < 0 ? std::min(rows + offset, columns)
                                    : std::min(rows, columns - offset);
  return std::max<int64_t>(0, length);
}

// The shape of diagonal(x): the other axes of x, then the diagonal.
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

// Checks the arguments of diagonal_scatter and returns the axes in [0, rank).
// Unknown dims pass; the kernel checks again.
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
  const DDim expected = DiagonalShape(x_dims, axes, offset);
  if (!CompatibleDims(y_dims, expected)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) The shape of y should be the shape of diagonal(x, offset=%d, "
        "axis1=%d, axis2=%d), [%s], but received [%s].",
        kOp,
        offset,
        axis1,
        axis2,
        expected,
        y_dims));
  }
  return axes;
}

// The diagonals of x over two axes; y has them along its last axis.
inline StridedView MakeDiagonalView(const DDim& x_dims,
                                    const DDim& y_dims,
                                    int64_t offset,
                                    int axis1,
                                    int axis2) {
  const DiagonalAxes axes =
      CheckDiagonalScatter(x_dims, y_dims, offset, axis1, axis2);
  // The diagonal takes the place of the outer axis, so that the view visits x
  // in memory order.
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
