// On the GPU: copy a tensor with a strided view replaced, and gather such a
// view. In place, elements outside the view are neither read nor written.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi::funcs::scatter_ops {

// out = x with the elements of `view` replaced by `values`. A null x or values
// is read as zeros; out may be x.
template <typename Storage>
void CopyAndReplace(const GPUContext& dev_ctx,
                    Storage* out,
                    int64_t numel,
                    const Storage* x,
                    const StridedView& view,
                    const Storage* values) {
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(Storage));
  if (x == nullptr) {
    ClearBytes(dev_ctx, out, bytes);
  } else {
    CopyBytes(dev_ctx, x, bytes, out);
  }
  ForEach(dev_ctx, view.numel(), [=] __device__(int64_t k) {
    const auto at = view.Locate(k);
    out[at.x] = values != nullptr ? values[at.values] : Storage{};
  });
}

// values = the elements of `view` in x.
template <typename Storage>
void GatherView(const GPUContext& dev_ctx,
                Storage* values,
                const StridedView& view,
                const Storage* x,
                int64_t /*numel*/) {
  ForEach(dev_ctx, view.numel(), [=] __device__(int64_t k) {
    const auto at = view.Locate(k);
    values[at.values] = x[at.x];
  });
}

}  // namespace phi::funcs::scatter_ops
