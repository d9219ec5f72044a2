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

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// Copies x to out, then replaces the slices that index names along axis by the
// product ("mul"), maximum ("amax") or minimum ("amin") of their updates. With
// include_self, the slice of x takes part in the reduction.
template <typename T, typename Context>
void IndexReduceKernel(const Context& dev_ctx,
                       const DenseTensor& x,
                       const DenseTensor& index,
                       const DenseTensor& updates,
                       int axis,
                       const std::string& reduce,
                       bool include_self,
                       DenseTensor* out);

}  // namespace phi
