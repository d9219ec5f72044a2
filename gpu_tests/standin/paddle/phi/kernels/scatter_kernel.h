#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index_reduce.cu.h"

namespace phi {

// As Paddle's: slices of x that index names are replaced by those of updates,
// or by their sum.
template <typename T, typename Context>
void ScatterKernel(const Context& dev_ctx,
                   const DenseTensor& x,
                   const DenseTensor& index,
                   const DenseTensor& updates,
                   bool overwrite,
                   DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  const ops::IndexReduceCall call{
      ops::IndexOp::kScatter,
      overwrite ? ops::IndexReduce::kAssign : ops::IndexReduce::kSum,
      /*axis=*/0,
      /*include_self=*/false};
  ops::IndexReduceInto<T>(
      dev_ctx, ops::LinearReduces{}, call, x, index, updates, out);
}

}  // namespace phi
