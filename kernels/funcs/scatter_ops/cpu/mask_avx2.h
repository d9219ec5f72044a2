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

// Loops under a mask by AVX2, which cannot compress or expand a vector by a
// mask. A random mask must never become a branch: to scatter and gather, eight
// elements at a time are moved to (or from) their lanes by a permute looked up
// by eight mask bits. Elements of 16 bytes are left to the plain loops.

#pragma once

#include <cstdint>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"

namespace phi::funcs::scatter_ops {

#ifdef SCATTER_OPS_AVX2

// A step of a loop that is compiled for AVX2.
#define SCATTER_OPS_STEP \
  __attribute__((target("avx2,popcnt"), always_inline)) static inline

// expand[bits][i]: which of the next values lane i takes. compress[bits][k]:
// which lane the k-th set bit is.
struct LaneTables {
  uint8_t expand[256][8];
  uint8_t compress[256][8];

  constexpr LaneTables() : expand(), compress() {
    for (int bits = 0; bits < 256; ++bits) {
      int k = 0;
      for (int i = 0; i < 8; ++i) {
        expand[bits][i] = static_cast<uint8_t>(k);
        if (bits >> i & 1) compress[bits][k++] = static_cast<uint8_t>(i);
      }
    }
  }
};
inline constexpr LaneTables kLaneTables{};

SCATTER_OPS_STEP __m128i LaneBytes(const uint8_t* table) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(table));
}

// Bit i is set where mask[i] is True, for 32 mask bytes.
SCATTER_OPS_STEP uint32_t MaskBits32(const uint8_t* mask) {
  const __m256i bytes =
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
  return ~static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())));
}

// As many elements of one size as fill a register, at most eight: Permute(p,
// lanes) loads them from p and reorders them; Select(bits, a, b) takes a where
// the bit is set, else b.
template <int Bytes>
struct Lanes;

template <>
struct Lanes<1> {
  static constexpr int kCount = 8;
  SCATTER_OPS_STEP __m128i Load(const uint8_t* p) { return LaneBytes(p); }
  SCATTER_OPS_STEP void Store(uint8_t* p, __m128i v) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), v);
  }
  SCATTER_OPS_STEP __m128i Permute(const uint8_t* p, const uint8_t* lanes) {
    return _mm_shuffle_epi8(LaneBytes(p), LaneBytes(lanes));
  }
  SCATTER_OPS_STEP __m128i Select(uint32_t bits, __m128i a, __m128i b) {
    const __m128i bit = _mm_set1_epi64x(0x8040201008040201);
    const __m128i all = _mm_set1_epi8(static_cast<char>(bits));
    const __m128i take = _mm_cmpeq_epi8(_mm_and_si128(all, bit), bit);
    return _mm_blendv_epi8(b, a, take);
  }
};

template <>
struct Lanes<2> {
  static constexpr int kCount = 8;
  SCATTER_OPS_STEP __m128i Load(const uint16_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  SCATTER_OPS_STEP void Store(uint16_t* p, __m128i v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
  SCATTER_OPS_STEP __m128i Permute(const uint16_t* p, const uint8_t* lanes) {
    // Lane j is bytes 2j and 2j + 1.
    const __m128i bytes =
        _mm_add_epi16(_mm_mullo_epi16(_mm_cvtepu8_epi16(LaneBytes(lanes)),
                                      _mm_set1_epi16(0x0202)),
                      _mm_set1_epi16(0x0100));
    return _mm_shuffle_epi8(Load(p), bytes);
  }
  SCATTER_OPS_STEP __m128i Select(uint32_t bits, __m128i a, __m128i b) {
    const __m128i bit = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    const __m128i all = _mm_set1_epi16(static_cast<int16_t>(bits));
    const __m128i take = _mm_cmpeq_epi16(_mm_and_si128(all, bit), bit);
    return _mm_blendv_epi8(b, a, take);
  }
};

// Lanes of a register of 256 bits.
struct WideLanes {
  SCATTER_OPS_STEP __m256i Load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
  }
  SCATTER_OPS_STEP void Store(void* p, __m256i v) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), v);
  }
};

template <>
struct Lanes<4> : WideLanes {
  static constexpr int kCount = 8;
  SCATTER_OPS_STEP __m256i Permute(const uint32_t* p, const uint8_t* lanes) {
    return _mm256_permutevar8x32_epi32(Load(p),
                                       _mm256_cvtepu8_epi32(LaneBytes(lanes)));
  }
  SCATTER_OPS_STEP __m256i Select(uint32_t bits, __m256i a, __m256i b) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(static_cast<int32_t>(bits));
    const __m256i take = _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit);
    return _mm256_blendv_epi8(b, a, take);
  }
};

template <>
struct Lanes<8> : WideLanes {
  static constexpr int kCount = 4;
  SCATTER_OPS_STEP __m256i Permute(const uint64_t* p, const uint8_t* lanes) {
    // 64-bit lane j is 32-bit lanes 2j and 2j + 1.
    const __m256i four = _mm256_cvtepu8_epi64(LaneBytes(lanes));
    const __m256i low = _mm256_add_epi64(four, four);
    const __m256i high =
        _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32);
    return _mm256_permutevar8x32_epi32(Load(p), _mm256_or_si256(low, high));
  }
  SCATTER_OPS_STEP __m256i Select(uint32_t bits, __m256i a, __m256i b) {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i all = _mm256_set1_epi64x(bits);
    const __m256i take = _mm256_cmpeq_epi64(_mm256_and_si256(all, bit), bit);
    return _mm256_blendv_epi8(b, a, take);
  }
};

// The beginning of ScatterEach, in whole groups of 32 elements, as far as 32
// values are left: moves *at behind the elements that are done, and *taken by
// the Trues among them.
template <typename Word>
SCATTER_OPS_TARGET void ScatterGroups(Word* out,
                                      const Word* x,
                                      const uint8_t* mask,
                                      const Word* value,
                                      int64_t value_left,
                                      int64_t n,
                                      int64_t* at,
                                      int64_t* taken) {
  using L = Lanes<sizeof(Word)>;
  constexpr uint32_t kBits = (1u << L::kCount) - 1;
  int64_t i = *at;
  int64_t k = *taken;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits != 0 && k + 32 > value_left) break;
    if (bits == 0 && out == x) continue;
    if (bits == 0 || bits == ~uint32_t{0}) {
      const Word* from = bits == 0 ? x + i : value + k;
      for (int j = 0; j < 32; j += L::kCount) {
        L::Store(out + i + j, L::Load(from + j));
      }
      k += bits & 32;
    } else {
      for (int j = 0; j < 32; j += L::kCount) {
        const uint32_t few = bits >> j & kBits;
        const auto values = L::Permute(value + k, kLaneTables.expand[few]);
        L::Store(out + i + j, L::Select(few, values, L::Load(x + i + j)));
        k += _mm_popcnt_u32(few);
      }
    }
  }
  *at = i;
  *taken = k;
}

// The same of GatherBlock. Each step writes as many elements as fill a
// register, the last ones without meaning.
template <typename Word>
SCATTER_OPS_TARGET void GatherGroups(Word* out,
                                     int64_t capacity,
                                     const Word* in,
                                     const uint8_t* mask,
                                     int64_t n,
                                     int64_t* at,
                                     int64_t* taken) {
  using L = Lanes<sizeof(Word)>;
  constexpr uint32_t kBits = (1u << L::kCount) - 1;
  int64_t i = *at;
  int64_t k = *taken;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits == 0) continue;
    if (k + 32 > capacity) break;
    if (bits == ~uint32_t{0}) {
      std::memcpy(out + k, in + i, 32 * sizeof(Word));
      k += 32;
    } else {
      for (int j = 0; j < 32; j += L::kCount) {
        const uint32_t few = bits >> j & kBits;
        L::Store(out + k, L::Permute(in + i + j, kLaneTables.compress[few]));
        k += _mm_popcnt_u32(few);
      }
    }
  }
  *at = i;
  *taken = k;
}

#endif  // SCATTER_OPS_AVX2

}  // namespace phi::funcs::scatter_ops
