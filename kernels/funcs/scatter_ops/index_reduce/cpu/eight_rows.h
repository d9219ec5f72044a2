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
// words[c] = the words c of the eight arrays at in, in + step ...
template <typename T>
SCATTER_OPS_STEP void TransposeEight(const T* in, int64_t step, __m256* words) {
  static_assert(sizeof(T) == sizeof(float));
  const auto* from = reinterpret_cast<const float*>(in);
  for (int64_t c = 0; c < kEight; c += 4) {
    // Words c to c + 3 of two arrays each. To load halves of a vector costs no
    // shuffle later.
    __m256 pair[4];
    for (int64_t r = 0; r < 4; ++r) {
      const float* at = from + r * step + c;
      pair[r] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at)),
                                     _mm_loadu_ps(at + 4 * step),
                                     1);
    }
    const __m256 low_01 = _mm256_unpacklo_ps(pair[0], pair[1]);
    const __m256 low_23 = _mm256_unpacklo_ps(pair[2], pair[3]);
    const __m256 high_01 = _mm256_unpackhi_ps(pair[0], pair[1]);
    const __m256 high_23 = _mm256_unpackhi_ps(pair[2], pair[3]);
    words[c] = _mm256_shuffle_ps(low_01, low_23, 0x44);
    words[c + 1] = _mm256_shuffle_ps(low_01, low_23, 0xEE);
    words[c + 2] = _mm256_shuffle_ps(high_01, high_23, 0x44);
    words[c + 3] = _mm256_shuffle_ps(high_01, high_23, 0xEE);
  }
}

template <typename T>
SCATTER_OPS_STEP void StoreEight(__m256 words, T* out) {
  _mm256_storeu_ps(reinterpret_cast<float*>(out), words);
}

// Below, the last block of eight elements starts so early that it is whole:
// there are eight at least.

// panel[i * 8 + r] = element i of row r
template <typename T>
SCATTER_OPS_TARGET void RowsIntoPanel(const T* rows, int64_t n, T* panel) {
  __m256 words[kEight];
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(rows + at, n, words);
    for (int64_t c = 0; c < kEight; ++c) {
      StoreEight(words[c], panel + (at + c) * kEight);
    }
  }
}

// The same, but `first` where an element is marked. Without a branch, which a
// random index would make costly.
template <typename T, typename Mark>
SCATTER_OPS_TARGET void MarkedRowsIntoPanel(
    const T* rows, const Mark* marks, int64_t n, T first, T* panel) {
  T firsts[kEight];
  std::fill_n(firsts, kEight, first);
  const __m256 start = _mm256_loadu_ps(reinterpret_cast<const float*>(firsts));
  __m256 words[kEight];
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(rows + at, n, words);
    for (int64_t c = 0; c < kEight; ++c) {
      const __m256 marked =
          _mm256_castsi256_ps(_mm256_set1_epi32(-(marks[at + c] > 0)));
      StoreEight(_mm256_blendv_ps(words[c], start, marked),
                 panel + (at + c) * kEight);
    }
  }
}

template <typename T>
SCATTER_OPS_TARGET void PanelIntoRows(const T* panel, int64_t n, T* rows) {
  __m256 words[kEight];
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(panel + at * kEight, kEight, words);
    for (int64_t r = 0; r < kEight; ++r) {
      StoreEight(words[r], rows + r * n + at);
    }
  }
}

// The same, divided by what is not zero.
SCATTER_OPS_TARGET inline void DividedPanelIntoRows(const float* panel,
                                                    const float* divisors,
                                                    int64_t n,
                                                    float* rows) {
  __m256 words[kEight];
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(panel + at * kEight, kEight, words);
    const __m256 divisor = _mm256_loadu_ps(divisors + at);
    const __m256 divides =
        _mm256_cmp_ps(divisor, _mm256_setzero_ps(), _CMP_GT_OQ);
    for (int64_t r = 0; r < kEight; ++r) {
      const __m256 total = _mm256_div_ps(words[r], divisor);
      StoreEight(_mm256_blendv_ps(words[r], total, divides), rows + r * n + at);
    }
  }
}

// Reduces the updates of `n` positions, whose slots are these. With fewer than
// eight of them, the block begins with updates of positions before.
template <IndexReduce kReduce, typename T>
SCATTER_OPS_TARGET void ReduceIntoPanel(
    const int64_t* slots, int64_t n, const T* updates, int64_t step, T* panel) {
  alignas(32) T block[kEight * kEight];
  __m256 words[kEight];
  for (int64_t i = 0; i < n; i += kEight) {
    const int64_t at = std::min(i, n - kEight);
    TransposeEight(updates + at, step, words);
    for (int64_t c = 0; c < kEight; ++c) {
      StoreEight(words[c], block + c * kEight);
    }
    for (int64_t p = i - at; p < kEight; ++p) {
      T* sums = panel + slots[at + p] * kEight;
      const T* update = block + p * kEight;
      // The compiler makes a vector of a loop that it does not unroll, if what
      // it writes is nothing that it reads. It would copy the vector by halves,
      // and the next load of this slot would wait for both.
      alignas(32) T reduced[kEight];
#pragma GCC unroll 1
      for (int64_t r = 0; r < kEight; ++r) {
        reduced[r] = Reduced<kReduce>(sums[r], update[r]);
      }
      StoreEight(_mm256_load_ps(reinterpret_cast<const float*>(reduced)), sums);
    }
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
// may be x. Slots that are marked start without x, unless there are no marks;
// means have divisors. The panel has room for eight rows; without AVX2 there is
// nothing to call.
template <IndexReduce kReduce, typename T, typename Mark>
void ReduceEightRows(const IndexSlots& slots,
                     int64_t size,
                     const Mark* marks,
                     const T* divisors,
                     const T* x,
                     const T* updates,
                     int64_t updates_size,
                     T* panel,
                     T* out) {
#ifdef SCATTER_OPS_AVX2
  if (marks) {
    MarkedRowsIntoPanel(x, marks, size, IdentityOf<T, kReduce>(), panel);
  } else {
    RowsIntoPanel(x, size, panel);
  }
  slots.ForEachChunk(
      0, slots.length(), [=](int64_t at, const int64_t* chunk, int64_t count) {
        ReduceIntoPanel<kReduce>(
            chunk, count, updates + at, updates_size, panel);
      });
  if constexpr (kReduce == IndexReduce::kMean) {
    DividedPanelIntoRows(panel, divisors, size, out);
  } else {
    PanelIntoRows(panel, size, out);
  }
#endif
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
