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

#include "paddle/phi/kernels/infermeta/masked_fill_tensor.h"

#include "paddle/phi/kernels/funcs/scatter_op_checks.h"

namespace phi {

void MaskedFillTensorInferMeta(const MetaTensor& x,
                               const MetaTensor& mask,
                               const MetaTensor& value,
                               MetaTensor* out) {
  funcs::scatter_ops::CheckMaskDtype("masked_fill_tensor", mask);
  funcs::scatter_ops::CheckSameDtype("masked_fill_tensor", x, "value", value);
  const DDim dims = funcs::scatter_ops::BroadcastShape(
      "masked_fill_tensor", "x", x.dims(), "mask", mask.dims());
  // x and mask alone decide the shape: value must not enlarge it.
  const DDim with_value =
      funcs::scatter_ops::BroadcastShape("masked_fill_tensor",
                                         "the broadcast of x and mask",
                                         dims,
                                         "value",
                                         value.dims());
  PADDLE_ENFORCE_EQ(
      funcs::scatter_ops::SameDims(dims, with_value),
      true,
      common::errors::InvalidArgument(
          "(masked_fill_tensor) value must broadcast to the shape that x and "
          "mask broadcast to, [%s], but it has shape [%s].",
          dims,
          value.dims()));
  out->set_dims(dims);
  out->set_dtype(x.dtype());
  out->share_lod(x);
}

}  // namespace phi
