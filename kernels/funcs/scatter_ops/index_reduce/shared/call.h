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

// What a kernel that reduces by an index is asked for, besides Tensors.

#pragma once

#include "paddle/common/hostdevice.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// The operators, as a number: device code cannot read a text of the host.
enum class IndexOp { kIndexReduce, kIndexScatter, kScatter };

HOSTDEVICE inline const char* NameOf(IndexOp op) {
  switch (op) {
    case IndexOp::kIndexReduce:
      return "index_reduce";
    case IndexOp::kIndexScatter:
      return "index_scatter";
    default:
      return "scatter";
  }
}

struct IndexReduceCall {
  IndexOp op;
  IndexReduce reduce;
  int axis;
  bool include_self;
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
