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

#include "paddle/phi/kernels/infermeta/diagonal_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi {

void DiagonalScatterInferMeta(const MetaTensor& x,
                              const MetaTensor& y,
                              int64_t offset,
                              int axis1,
                              int axis2,
                              MetaTensor* out) {
  funcs::scatter_ops::CheckSameDtype("diagonal_scatter", x, "y", y);
  funcs::scatter_ops::CheckDiagonalScatter(
      x.dims(), y.dims(), offset, axis1, axis2);
  out->share_meta(x);
}

}  // namespace phi
