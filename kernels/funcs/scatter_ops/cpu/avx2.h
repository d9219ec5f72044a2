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

// Whether the CPU has AVX2, and loops that are compiled for it. Paddle itself
// is compiled for AVX at most. With SCATTER_OPS_PORTABLE the portable loops are
// left alone, for tests: they give the same bits.

#pragma once

#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(SCATTER_OPS_PORTABLE)
#define SCATTER_OPS_AVX2 1
#include <immintrin.h>
#define SCATTER_OPS_TARGET __attribute__((target("avx2,popcnt")))
#endif

namespace phi::funcs::scatter_ops {

inline bool HasAvx2() {
#ifdef SCATTER_OPS_AVX2
  static const bool found =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
  return found;
#else
  return false;
#endif
}

#ifdef SCATTER_OPS_AVX2
// Everything that f calls is compiled here once more.
template <typename F>
SCATTER_OPS_TARGET __attribute__((flatten)) void CallForAvx2(const F& f) {
  f();
}
#endif

// Calls f, plain loops, which are compiled for AVX2 as well: Paddle is compiled
// for AVX at most, which has no vectors of integers. The bits are the same.
template <typename F>
void CallVectorised(const F& f) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) return CallForAvx2(f);
#endif
  f();
}

// The same for loops over T that gain by it only where T is a float of 16 bits,
// which is converted by arithmetic on integers.
template <typename T, typename F>
void CallVectorisedForHalf(const F& f) {
  if constexpr (kIsHalf<T>) {
    CallVectorised(f);
  } else {
    f();
  }
}

}  // namespace phi::funcs::scatter_ops
