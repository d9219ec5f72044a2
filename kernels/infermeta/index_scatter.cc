#include "paddle/phi/kernels/infermeta/index_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"

namespace phi {

void IndexScatterInferMeta(const MetaTensor& x,
                           const MetaTensor& index,
                           const MetaTensor& updates,
                           int axis,
                           const std::string& reduce,
                           bool include_self,
                           MetaTensor* out) {
  funcs::scatter_ops::CheckIndexReduce(reduce, x, index, updates, axis);
  out->share_meta(x);
}

}  // namespace phi
