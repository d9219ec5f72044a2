#include "paddle/phi/kernels/infermeta/diagonal_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/diagonal_view.h"

namespace phi {

void DiagonalScatterInferMeta(const MetaTensor& x,
                              const MetaTensor& y,
                              int64_t offset,
                              int axis1,
                              int axis2,
                              MetaTensor* out) {
  namespace ops = funcs::scatter_ops;
  ops::CheckSameDtype("diagonal_scatter", x, "y", y);
  const DDim dims = x.dims();
  const DDim y_dims = y.dims();
  const ops::DiagonalAxes axes =
      ops::CheckDiagonalScatter(dims, y_dims, offset, axis1, axis2);
  // If one of rows and columns is unknown, the other bounds the diagonal.
  const auto dim_or_max = [&dims](int axis) {
    return dims[axis] < 0 ? INT64_MAX : dims[axis];
  };
  const int64_t length = y_dims[y_dims.size() - 1];
  const int64_t max_length = ops::DiagonalLength(
      dim_or_max(axes.row), dim_or_max(axes.column), offset);
  if (length > max_length) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(diagonal_scatter) The last dimension of y should be at most %d for "
        "x of shape [%s] and offset=%d, but received %d.",
        max_length,
        dims,
        offset,
        length));
  }
  out->share_meta(x);
}

}  // namespace phi
