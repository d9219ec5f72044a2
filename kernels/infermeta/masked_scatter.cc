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

#include "paddle/phi/kernels/infermeta/masked_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi {

void MaskedScatterInferMeta(const MetaTensor& x,
                            const MetaTensor& mask,
                            const MetaTensor& value,
                            MetaTensor* out) {
  funcs::scatter_ops::CheckMaskDtype("masked_scatter", mask);
  funcs::scatter_ops::CheckSameDtype("masked_scatter", x, "value", value);
  out->set_dims(funcs::scatter_ops::BroadcastShape(
      "masked_scatter", x.dims(), mask.dims()));
  out->set_dtype(x.dtype());
  out->share_lod(x);
}

}  // namespace phi
