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

#include "paddle/phi/kernels/infermeta/index_reduce.h"

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"

namespace phi {

void IndexReduceInferMeta(const MetaTensor& x,
                          const MetaTensor& index,
                          const MetaTensor& updates,
                          int axis,
                          const std::string& reduce,
                          bool include_self,
                          MetaTensor* out) {
  namespace ops = funcs::scatter_ops;
  ops::CheckIndexReduce("index_reduce",
                        ops::ParseIndexReduce(reduce),
                        reduce,
                        x,
                        index,
                        updates,
                        axis);
  out->share_meta(x);
}

}  // namespace phi
