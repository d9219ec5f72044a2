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

// What a kernel that reduces by an index is asked for: the call, the Tensors as
// arrays around the axis, and the operands of a gradient.

#pragma once

#include <cstdint>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/core/ddim.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"

namespace phi::funcs::scatter_ops {

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

// x as [outer, size, inner] around its axis, updates as
// [outer, updates_size, inner].
struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
  int64_t updates_size = 1;

  AxisView(const DDim& x, const DDim& updates, int axis) {
    const int dim = axis < 0 ? axis + x.size() : axis;
    for (int i = 0; i < dim; ++i) outer *= x[i];
    for (int i = dim + 1; i < x.size(); ++i) inner *= x[i];
    size = x[dim];
    // Lacks the axis if the index is 0-D.
    updates_size = updates.size() == x.size() ? updates[dim] : 1;
  }
};

template <typename T>
struct IndexGradTensors {
  const T* x;        // null if the reduction is linear
  const T* updates;  // null if the reduction is linear
  const T* out_grad;
  T* x_grad;        // may be null
  T* updates_grad;  // may be null
};

// The data of `tensor`; null if it has no elements, for which data() throws.
template <typename T>
const T* DataOrNull(const DenseTensor& tensor) {
  return tensor.numel() == 0 ? nullptr : tensor.data<T>();
}

}  // namespace phi::funcs::scatter_ops
