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

#pragma once

#include "paddle/phi/core/distributed/auto_parallel/dist_meta_tensor.h"
#include "paddle/phi/core/distributed/type_defs.h"

namespace phi {
namespace distributed {

// Every Tensor has to be whole. Which element of value a True takes depends on
// the number of Trues before it in the whole mask, so that the operator on the
// parts of x and mask, along whatever dim they were cut, would write other
// elements. It makes no difference that the mask is broadcast along that dim.
SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& mask,
                                const DistMetaTensor& value);

SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value,
                                       const DistMetaTensor& out);

SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out_grad);

}  // namespace distributed
}  // namespace phi
