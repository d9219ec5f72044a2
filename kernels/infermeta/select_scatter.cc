#include "paddle/phi/kernels/infermeta/select_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/select_view.h"

namespace phi {

void SelectScatterInferMeta(const MetaTensor& x,
                            const MetaTensor& values,
                            int axis,
                            int64_t index,
                            MetaTensor* out) {
  funcs::scatter_ops::CheckSameDtype("select_scatter", x, "values", values);
  funcs::scatter_ops::CheckSelectScatter(x.dims(), values.dims(), axis, index);
  out->share_meta(x);
}

}  // namespace phi
