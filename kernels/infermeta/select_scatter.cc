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

#include "paddle/phi/kernels/infermeta/select_scatter.h"

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi {

void SelectScatterInferMeta(const MetaTensor& x,
                            const MetaTensor& values,
                            int axis,
                            int64_t index,
                            MetaTensor* out) {
  funcs::scatter_ops::CheckSameDtype("select_scatter", x, "values", values);
  funcs::scatter_ops::CheckSelectScatter(x.dims(), values.dims(), axis, index);
  out->share_meta(x);
}

}  // namespace phi
