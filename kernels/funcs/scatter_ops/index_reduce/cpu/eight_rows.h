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

// Reductions along the last axis, of eight rows of x at once: a copy of them
// has the eight elements of a slot side by side, so that one vector instruction
// adds an update to all. Between rows and that copy, words are transposed in
// registers, eight by eight.

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/index_slots.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/row_loops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

constexpr int64_t kEight = 8;

#ifdef SCATTER_OPS_AVX2
// out[c] = the words c of the eight arrays at in, in + in_step ...; likewise,
// out[c] starts at out + c * out_step.
template <typename T>
SCATTER_OPS_STEP void TransposeEight(const T* in,
                                     int64_t in_step,
                                     T* out,
                                     int64_t out_step) {
  static_assert(sizeof(T) == sizeof(float));
  __m256 row[kEight];
  for (int64_t r = 0; r < kEight; ++r) {
    row[r] = _mm256_loadu_ps(reinterpret_cast<const float*>(in + r * in_step));
  }
  // In each half of a vector, words of four arrays.
  __m256 half[kEight];
  for (int64_t r = 0; r < kEight; r += 4) {
    const __m256 a = row[r], b = row[r + 1], c = row[r + 2], d = row[r + 3];
    const __m256 low_ab = _mm256_unpacklo_ps(a, b);
    const __m256 low_cd = _mm256_unpacklo_ps(c, d);
    const __m256 high_ab = _mm256_unpackhi_ps(a, b);
    const __m256 high_cd = _mm256_unpackhi_ps(c, d);
    half[r] = _mm256_shuffle_ps(low_ab, low_cd, 0x44);
    half[r + 1] = _mm256_shuffle_ps(low_ab, low_cd, 0xEE);
    half[r + 2] = _mm256_shuffle_ps(high_ab, high_cd, 0x44);
    half[r + 3] = _mm256_shuffle_ps(high_ab, high_cd, 0xEE);
  }
  for (int64_t c = 0; c < 4; ++c) {
    _mm256_storeu_ps(reinterpret_cast<float*>(out + c * out_step),
                     _mm256_permute2f128_ps(half[c], half[c + 4], 0x20));
    _mm256_storeu_ps(reinterpret_cast<float*>(out + (c + 4) * out_step),
                     _mm256_permute2f128_ps(half[c], half[c + 4], 0x31));
  }
}

// Below, the last block of eight elements starts so early that it is whole:
// there are eight at least.

// panel[i * 8 + r] = element i of row r
template <typename T>
SCATTER_OPS_TARGET void RowsIntoPanel(const T* rows,
                                      int64_t step,
                                      int64_t n,
                                      T* panel) {
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(rows + at, step, panel + at * kEight, kEight);
  }
}

template <typename T>
SCATTER_OPS_TARGET void PanelIntoRows(const T* panel,
                                      int64_t n,
                                      T* rows,
                                      int64_t step) {
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(panel + at * kEight, kEight, rows + at, step);
  }
}

// Reduces the updates of `n` positions, whose slots are these. With fewer than
// eight of them, the block begins with updates of positions before.
template <IndexReduce kReduce, typename T>
SCATTER_OPS_TARGET void ReduceIntoPanel(
    const int64_t* slots, int64_t n, const T* updates, int64_t step, T* panel) {
  alignas(32) T block[kEight * kEight];
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(updates + at, step, block, kEight);
    for (int64_t p = i - at; p < kEight; ++p) {
      T* sums = panel + slots[at + p] * kEight;
      const T* update = block + p * kEight;
      // The compiler makes a vector of a loop that it does not unroll, if what
      // it writes is nothing that it reads.
      T reduced[kEight];
#pragma GCC unroll 1
      for (int64_t r = 0; r < kEight; ++r) {
        reduced[r] = Reduced<kReduce>(sums[r], update[r]);
      }
      std::copy_n(reduced, kEight, sums);
    }
  }
}

template <typename T>
SCATTER_OPS_TARGET void FillInPanel(const int64_t* slots,
                                    int64_t n,
                                    T value,
                                    T* panel) {
  for (int64_t i = 0; i < n; ++i) {
    std::fill_n(panel + slots[i] * kEight, kEight, value);
  }
}
#endif

// Whether it pays for rows of `size` elements. Others took as long as four rows
// at a time, or longer. To clear slots first costs little here.
inline bool PaysByEight(int64_t size, int64_t positions, bool keeps_x) {
  if (size < kEight || positions < kEight) return false;
  return size <= (keeps_x ? 32 : 64) || size >= 512;
}

// Reduces eight rows of x, which follow each other, into those at out, which
// may be x. The panel has room for eight rows; without AVX2 there is nothing to
// call.
template <IndexReduce kReduce, typename T>
void ReduceEightRows(const IndexSlots& slots,
                     int64_t size,
                     bool include_self,
                     const T* x,
                     const T* updates,
                     int64_t updates_size,
                     T* panel,
                     T* out) {
#ifdef SCATTER_OPS_AVX2
  RowsIntoPanel(x, size, size, panel);
  const int64_t n = slots.length();
  if (kReduce != IndexReduce::kAssign && !include_self) {
    slots.ForEachChunk(0, n, [=](int64_t, const int64_t* chunk, int64_t count) {
      FillInPanel(chunk, count, IdentityOf<T, kReduce>(), panel);
    });
  }
  slots.ForEachChunk(
      0, n, [=](int64_t at, const int64_t* chunk, int64_t count) {
        ReduceIntoPanel<kReduce>(
            chunk, count, updates + at, updates_size, panel);
      });
  PanelIntoRows(panel, size, out, size);
#endif
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
