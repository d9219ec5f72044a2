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

// Vector steps of the masked kernels: eight elements of 1, 2, 4, 8 or 16 bytes
// under eight mask bits. A random mask must never become a branch, so values
// are moved to (or from) their lanes by a permute looked up by the mask bits.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/lane_tables.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/tile_stores.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/element_word.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

#ifdef SCATTER_OPS_AVX2

// Bit i is set where mask[i] is True, for 32 mask bytes.
SCATTER_OPS_STEP uint32_t MaskBits32(const uint8_t* mask) {
  const __m256i bytes =
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
  return ~static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())));
}

template <Stores kStores>
SCATTER_OPS_STEP void StoreVector(void* p, __m256i v) {
  if constexpr (kStores == Stores::kPastCaches) {
    _mm256_stream_si256(static_cast<__m256i*>(p), v);
  } else {
    _mm256_storeu_si256(static_cast<__m256i*>(p), v);
  }
}

template <Stores kStores>
SCATTER_OPS_STEP void StoreVector(void* p, __m128i v) {
  if constexpr (kStores == Stores::kPastCaches) {
    _mm_stream_si128(static_cast<__m128i*>(p), v);
  } else {
    _mm_storeu_si128(static_cast<__m128i*>(p), v);
  }
}

// Eight elements of one size: Permute(p, table) loads them from p and reorders
// them; Select(bits, a, b) takes a where the bit is set, else b.
template <int Bytes>
struct Lanes8;

template <>
struct Lanes8<1> {
  using Vector = __m128i;  // the low half
  SCATTER_OPS_STEP Vector Load(const uint8_t* p) { return LaneBytes(p); }
  template <Stores kStores>
  SCATTER_OPS_STEP void Store(uint8_t* p, Vector v) {
    if constexpr (kStores == Stores::kPastCaches) {
      _mm_stream_si64(reinterpret_cast<long long*>(p),  // NOLINT(runtime/int)
                      _mm_cvtsi128_si64(v));
    } else {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(p), v);
    }
  }
  SCATTER_OPS_STEP Vector Set(uint8_t word) {
    return _mm_set1_epi8(static_cast<char>(word));
  }
  SCATTER_OPS_STEP Vector Permute(const uint8_t* p, const uint8_t* table) {
    return _mm_shuffle_epi8(LaneBytes(p), LaneBytes(table));
  }
  SCATTER_OPS_STEP Vector Select(uint32_t bits, Vector a, Vector b) {
    const __m128i bit = _mm_set1_epi64x(0x8040201008040201);
    const __m128i all = _mm_set1_epi8(static_cast<char>(bits));
    const __m128i take = _mm_cmpeq_epi8(_mm_and_si128(all, bit), bit);
    return _mm_blendv_epi8(b, a, take);
  }
};

template <>
struct Lanes8<2> {
  using Vector = __m128i;
  SCATTER_OPS_STEP Vector Load(const uint16_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  template <Stores kStores>
  SCATTER_OPS_STEP void Store(uint16_t* p, Vector v) {
    StoreVector<kStores>(p, v);
  }
  SCATTER_OPS_STEP Vector Set(uint16_t word) {
    return _mm_set1_epi16(static_cast<int16_t>(word));
  }
  SCATTER_OPS_STEP Vector Permute(const uint16_t* p, const uint8_t* table) {
    // Lane j is bytes 2j and 2j + 1.
    const __m128i lanes = _mm_cvtepu8_epi16(LaneBytes(table));
    const __m128i bytes = _mm_add_epi16(
        _mm_mullo_epi16(lanes, _mm_set1_epi16(0x0202)), _mm_set1_epi16(0x0100));
    return _mm_shuffle_epi8(Load(p), bytes);
  }
  SCATTER_OPS_STEP Vector Select(uint32_t bits, Vector a, Vector b) {
    const __m128i bit = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    const __m128i all = _mm_set1_epi16(static_cast<int16_t>(bits & 0xff));
    const __m128i take = _mm_cmpeq_epi16(_mm_and_si128(all, bit), bit);
    return _mm_blendv_epi8(b, a, take);
  }
};

template <>
struct Lanes8<4> {
  using Vector = __m256i;
  SCATTER_OPS_STEP Vector Load(const uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  template <Stores kStores>
  SCATTER_OPS_STEP void Store(uint32_t* p, Vector v) {
    StoreVector<kStores>(p, v);
  }
  SCATTER_OPS_STEP Vector Set(uint32_t word) {
    return _mm256_set1_epi32(static_cast<int32_t>(word));
  }
  SCATTER_OPS_STEP Vector Permute(const uint32_t* p, const uint8_t* table) {
    return _mm256_permutevar8x32_epi32(Load(p),
                                       _mm256_cvtepu8_epi32(LaneBytes(table)));
  }
  SCATTER_OPS_STEP Vector Select(uint32_t bits, Vector a, Vector b) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(static_cast<int32_t>(bits & 0xff));
    const __m256i take = _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit);
    return _mm256_blendv_epi8(b, a, take);
  }
};

// Eight elements of 8 or 16 bytes don't fit one register: `Width` at a time.
// Lanes8<8> splits the eight bits in two, so that a table row of the low four
// bits serves each half.
template <>
struct Lanes8<8> {
  struct Vector {
    __m256i low;
    __m256i high;
  };
  SCATTER_OPS_STEP __m256i LoadHalf(const uint64_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  SCATTER_OPS_STEP Vector Load(const uint64_t* p) {
    return {LoadHalf(p), LoadHalf(p + 4)};
  }
  template <Stores kStores>
  SCATTER_OPS_STEP void Store(uint64_t* p, Vector v) {
    StoreVector<kStores>(p, v.low);
    StoreVector<kStores>(p + 4, v.high);
  }
  SCATTER_OPS_STEP Vector Set(uint64_t word) {
    const __m256i v = _mm256_set1_epi64x(static_cast<int64_t>(word));
    return {v, v};
  }
  SCATTER_OPS_STEP __m256i PermuteHalf(const uint64_t* p,
                                       const uint8_t* table) {
    // 64-bit lane j is 32-bit lanes 2j and 2j + 1.
    const __m256i lanes = _mm256_cvtepu8_epi64(LaneBytes(table));
    const __m256i low = _mm256_add_epi64(lanes, lanes);
    const __m256i high =
        _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32);
    return _mm256_permutevar8x32_epi32(LoadHalf(p), _mm256_or_si256(low, high));
  }
  SCATTER_OPS_STEP __m256i SelectHalf(uint32_t bits, __m256i a, __m256i b) {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i all = _mm256_set1_epi64x(bits & 0xf);
    const __m256i take = _mm256_cmpeq_epi64(_mm256_and_si256(all, bit), bit);
    return _mm256_blendv_epi8(b, a, take);
  }
  SCATTER_OPS_STEP Vector Select(uint32_t bits, Vector a, Vector b) {
    return {SelectHalf(bits, a.low, b.low),
            SelectHalf(bits >> 4, a.high, b.high)};
  }
};

#endif  // SCATTER_OPS_AVX2

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
