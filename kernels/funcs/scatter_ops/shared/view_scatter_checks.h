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

// Axes, and what select_scatter and diagonal_scatter accept: an index in range,
// and values of the shape of what they replace.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi::funcs::scatter_ops {

// True unless the two shapes are known to differ.
inline bool SameDims(const DDim& a, const DDim& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    if (!SameDim(a[i], b[i])) return false;
  }
  return true;
}

// `axis` in [-rank, rank) as one in [0, rank).
inline int NormalizeAxis(const char* op,
                         const char* name,
                         int64_t axis,
                         int rank) {
  if (axis < -rank || axis >= rank) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) %s must be in [%d, %d) for an x of %d dims, but it is %d.",
        op,
        name,
        -rank,
        rank,
        rank,
        axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Checks what is known of the arguments of select_scatter and returns axis in
// [0, rank). Dims that are unknown yet pass: the kernel asks again.
inline int CheckSelectScatter(const DDim& x_dims,
                              const DDim& values_dims,
                              int axis,
                              int64_t index) {
  const int at = NormalizeAxis("select_scatter", "axis", axis, x_dims.size());
  std::vector<int64_t> wanted = common::vectorize(x_dims);
  wanted.erase(wanted.begin() + at);
  if (!SameDims(values_dims, common::make_ddim(wanted))) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(select_scatter) the shape of values must be that of x without axis "
        "%d, [%s], but it is [%s].",
        axis,
        common::make_ddim(wanted),
        values_dims));
  }
  const int64_t size = x_dims[at];
  if (size >= 0 && (index < -size || index >= size)) {
    PADDLE_THROW(common::errors::OutOfRange(
        "(select_scatter) index must be in [%d, %d) because axis %d of x has "
        "size %d, but it is %d.",
        -size,
        size,
        axis,
        size,
        index));
  }
  return at;
}

}  // namespace phi::funcs::scatter_ops
