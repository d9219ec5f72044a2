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

#include <string>

#include "paddle/phi/core/distributed/auto_parallel/dist_meta_tensor.h"
#include "paddle/phi/core/distributed/type_defs.h"

namespace phi {
namespace distributed {

// Any dim but `axis` may be sharded; every process needs the whole index. The
// rule of index_reduce too.
SpmdInfo IndexScatterInferSpmd(const DistMetaTensor& x,
                               const DistMetaTensor& index,
                               const DistMetaTensor& updates,
                               int axis,
                               const std::string& reduce,
                               bool include_self);

SpmdInfo IndexScatterInferSpmdReverse(const DistMetaTensor& x,
                                      const DistMetaTensor& index,
                                      const DistMetaTensor& updates,
                                      const DistMetaTensor& out,
                                      int axis,
                                      const std::string& reduce,
                                      bool include_self);

SpmdInfo IndexScatterGradInferSpmd(const DistMetaTensor& x,
                                   const DistMetaTensor& index,
                                   const DistMetaTensor& updates,
                                   const DistMetaTensor& out_grad,
                                   int axis,
                                   const std::string& reduce,
                                   bool include_self);

}  // namespace distributed
}  // namespace phi
