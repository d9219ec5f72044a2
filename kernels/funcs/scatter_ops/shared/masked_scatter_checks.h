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

// The error for a value that is too short, on every device. The kernels find
// that out: how many Trues a mask has is not known before.

#pragma once

#include <cstdint>

#include "paddle/phi/core/enforce.h"

namespace phi::funcs::scatter_ops {

inline void CheckEnoughValues(int64_t trues, int64_t values) {
  if (trues <= values) return;
  PADDLE_THROW(common::errors::OutOfRange(
      "(masked_scatter) value must have an element for each True of the "
      "broadcast mask: %d expected, but value has %d.",
      trues,
      values));
}

}  // namespace phi::funcs::scatter_ops
