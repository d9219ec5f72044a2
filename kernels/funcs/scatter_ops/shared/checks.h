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

// Rules that the InferMeta functions and the kernels of the masked and scatter
// operators share: axes, dtypes, and broadcasting with unknown dims.

#pragma once

#include <cstdint>

#include "paddle/phi/core/ddim.h"
#include "paddle/phi/core/enforce.h"

namespace phi::funcs::scatter_ops {

// A negative dim is known only at run time.
inline bool SameDim(int64_t a, int64_t b) { return a == b || a < 0 || b < 0; }

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

// Meta: MetaTensor, or in a kernel the DenseTensor itself.
template <typename Meta>
void CheckSameDtype(const char* op,
                    const Meta& x,
                    const char* other_name,
                    const Meta& other) {
  PADDLE_ENFORCE_EQ(
      other.dtype(),
      x.dtype(),
      common::errors::InvalidArgument(
          "(%s) the dtype of %s must be that of x, %s, but it is %s.",
          op,
          other_name,
          DataTypeToString(x.dtype()),
          DataTypeToString(other.dtype())));
}

template <typename Meta>
void CheckMaskDtype(const char* op, const Meta& mask) {
  PADDLE_ENFORCE_EQ(mask.dtype(),
                    DataType::BOOL,
                    common::errors::InvalidArgument(
                        "(%s) the dtype of mask must be bool, but it is %s.",
                        op,
                        DataTypeToString(mask.dtype())));
}

// One dim of a broadcast: -1 meets 1 stays unknown, -1 meets anything else
// takes that (a run-time check is due then). Returns -2 if they don't fit.
inline int64_t BroadcastDim(int64_t a, int64_t b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  if (a < 0) return b;
  if (b < 0) return a;
  return -2;
}

// The numpy broadcast of the shapes of x and mask, trailing axes aligned.
inline DDim BroadcastShape(const char* op, const DDim& x, const DDim& mask) {
  DDim out = x.size() < mask.size() ? mask : x;
  const int rank = out.size();
  for (int i = 1; i <= rank; ++i) {
    const int64_t x_dim = i <= x.size() ? x[x.size() - i] : 1;
    const int64_t mask_dim = i <= mask.size() ? mask[mask.size() - i] : 1;
    const int64_t dim = BroadcastDim(x_dim, mask_dim);
    if (dim == -2) {
      PADDLE_THROW(common::errors::InvalidArgument(
          "(%s) x and mask must broadcast together, but x has shape [%s] and "
          "mask has shape [%s]: axis -%d is %d against %d.",
          op,
          x,
          mask,
          i,
          x_dim,
          mask_dim));
    }
    out[rank - i] = dim;
  }
  return out;
}

// Of masked_scatter. The kernels find that out: how many Trues a mask has is
// not known before.
inline void CheckEnoughValues(int64_t trues, int64_t values) {
  if (trues <= values) return;
  PADDLE_THROW(common::errors::OutOfRange(
      "(masked_scatter) value must have an element for each True of the "
      "broadcast mask: %d expected, but value has %d.",
      trues,
      values));
}

}  // namespace phi::funcs::scatter_ops
