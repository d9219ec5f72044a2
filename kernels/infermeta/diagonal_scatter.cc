#include "paddle/phi/kernels/infermeta/diagonal_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi {

void DiagonalScatterInferMeta(const MetaTensor& x,
                              const MetaTensor& y,
                              int64_t offset,
                              int axis1,
                              int axis2,
                              MetaTensor* out) {
  funcs::scatter_ops::CheckSameDtype("diagonal_scatter", x, "y", y);
  funcs::scatter_ops::CheckDiagonalScatter(
      x.dims(), y.dims(), offset, axis1, axis2);
  out->share_meta(x);
}

}  // namespace phi
