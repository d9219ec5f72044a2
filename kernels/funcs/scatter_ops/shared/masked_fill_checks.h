// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// What masked_fill asks of its operands beyond the InferMeta of the operator.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// x and mask alone decide the shape of the result: value must not enlarge it.
// That of one element is a number, whatever its dims.
inline void CheckFillValue(const DDim& out, const DDim& value) {
  if (common::product(value) == 1) return;
  bool fits = value.size() <= out.size();
  for (int i = 1; fits && i <= value.size(); ++i) {
    const int64_t dim = value[value.size() - i];
    fits = dim == 1 || SameDim(dim, out[out.size() - i]);
  }
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(masked_fill) value must broadcast to the shape that x and mask "
        "broadcast to, [%s], but it has shape [%s].",
        out,
        value));
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
