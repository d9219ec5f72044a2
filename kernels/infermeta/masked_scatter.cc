#include "paddle/phi/kernels/infermeta/masked_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi {

void MaskedScatterInferMeta(const MetaTensor& x,
                            const MetaTensor& mask,
                            const MetaTensor& value,
                            MetaTensor* out) {
  funcs::scatter_ops::CheckMaskDtype("masked_scatter", mask);
  funcs::scatter_ops::CheckSameDtype("masked_scatter", x, "value", value);
  const DDim dims = funcs::scatter_ops::BroadcastShape(
      "masked_scatter", x.dims(), mask.dims());
  funcs::scatter_ops::CheckInplaceDims("masked_scatter", x, dims, *out);
  out->set_dims(dims);
  out->set_dtype(x.dtype());
  out->share_lod(x);
}

}  // namespace phi
