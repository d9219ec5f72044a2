#pragma once

#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"

namespace phi {

using IntArray = std::vector<int64_t>;

// Of zeros alone.
template <typename T, typename Context>
DenseTensor Full(const Context& dev_ctx, const IntArray& shape, int value) {
  STANDIN_ENFORCE(value == 0, common::errors::Unimplemented("not of zeros"));
  DenseTensor out;
  out.Resize(make_ddim(shape));
  funcs::scatter_ops::AllocZeros<T>(dev_ctx, &out);
  return out;
}

}  // namespace phi
