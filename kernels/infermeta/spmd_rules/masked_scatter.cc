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

#include "paddle/phi/infermeta/spmd_rules/masked_scatter.h"

#include <algorithm>
#include <vector>

#include "paddle/common/ddim.h"
#include "paddle/phi/core/distributed/auto_parallel/dist_attr.h"
#include "paddle/phi/infermeta/spmd_rules/utils.h"

namespace phi {
namespace distributed {

namespace {

TensorDistAttr Whole(const DistMetaTensor& tensor, int64_t rank) {
  TensorDistAttr attr = CopyTensorDistAttrForOutput(tensor.dist_attr());
  attr.set_dims_mapping(std::vector<int64_t>(rank, -1));
  return attr;
}

TensorDistAttr Whole(const DistMetaTensor& tensor) {
  return Whole(tensor, tensor.dims().size());
}

}  // namespace

SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& mask,
                                const DistMetaTensor& value) {
  // x and mask are broadcast to each other.
  const int64_t rank = std::max(x.dims().size(), mask.dims().size());
  return {{Whole(x), Whole(mask), Whole(value)}, {Whole(x, rank)}};
}

SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value,
                                       const DistMetaTensor& out) {
  return {{Whole(x), Whole(mask), Whole(value)}, {Whole(out)}};
}

SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out_grad) {
  return {{Whole(x), Whole(mask), Whole(value), Whole(out_grad)},
          {Whole(x), Whole(value)}};
}

}  // namespace distributed
}  // namespace phi
