// Argument checks of select_scatter and the view that it replaces.

#pragma once

#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi::funcs::scatter_ops {

// Checks the arguments of select_scatter and returns axis in [0, rank). Unknown
// dims pass; the kernel checks again.
inline int CheckSelectScatter(const DDim& x_dims,
                              const DDim& values_dims,
                              int axis,
                              int64_t index) {
  const int normalized_axis =
      NormalizeAxis("select_scatter", "axis", axis, x_dims.size());
  std::vector<int64_t> expected = common::vectorize(x_dims);
  expected.erase(expected.begin() + normalized_axis);
  if (!CompatibleDims(values_dims, common::make_ddim(expected))) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(select_scatter) The shape of values should be the shape of x without "
        "axis %d, [%s], but received [%s].",
        axis,
        common::make_ddim(expected),
        values_dims));
  }
  const int64_t size = x_dims[normalized_axis];
  if (size >= 0 && (index < -size || index >= size)) {
    PADDLE_THROW(common::errors::OutOfRange(
        "(select_scatter) The value of index should be in [%d, %d) for axis "
        "%d, which has size %d, but received %d.",
        -size,
        size,
        axis,
        size,
        index));
  }
  return normalized_axis;
}

// The slice of x at `index` of `axis`.
inline StridedView MakeSelectView(const DDim& x_dims,
                                  const DDim& values_dims,
                                  int axis,
                                  int64_t index) {
  const int normalized_axis =
      CheckSelectScatter(x_dims, values_dims, axis, index);
  if (index < 0) index += x_dims[normalized_axis];
  const int64_t inner = ProductOf(x_dims, normalized_axis + 1, x_dims.size());
  StridedView view(index * inner);
  view.Append(ProductOf(x_dims, 0, normalized_axis),
              x_dims[normalized_axis] * inner,
              inner);
  view.Append(inner, 1, 1);
  return view;
}

}  // namespace phi::funcs::scatter_ops
