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

// The dtypes that the masked and scatter operators are registered for.

#pragma once

#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/common/float16.h"

#define SCATTER_OPS_ALL_DTYPES                                         \
  bool, uint8_t, int8_t, int16_t, int, int64_t, phi::dtype::float16,   \
      phi::dtype::bfloat16, float, double, phi::dtype::complex<float>, \
      phi::dtype::complex<double>
