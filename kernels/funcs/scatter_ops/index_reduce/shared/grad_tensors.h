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

// The operands of the gradients of the operators that reduce by an index.

#pragma once

namespace phi {
namespace funcs {
namespace scatter_ops {

template <typename T>
struct IndexGradTensors {
  const T* x;        // null if the reduction is linear
  const T* updates;  // null if the reduction is linear
  const T* out_grad;
  T* x_grad;        // may be null
  T* updates_grad;  // may be null
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
