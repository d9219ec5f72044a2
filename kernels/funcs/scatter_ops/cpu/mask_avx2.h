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

// Loops under a mask by AVX2. A random mask must never become a branch: to
// scatter and gather, eight elements at a time are moved to (or from) their
// lanes by a permute looked up by eight mask bits. A choice goes past the
// caches straight from registers. Elements of 16 bytes are left to the plain
// loops.

#pragma once

#include <cstdint>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/copies.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/lane_tables.h"

namespace phi::funcs::scatter_ops {

#ifdef SCATTER_OPS_AVX2

// Bit i is set where mask[i] is True, for 32 mask bytes.
SCATTER_OPS_STEP uint32_t MaskBits32(const uint8_t* mask) {
  const __m256i bytes =
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
  return ~static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())));
}

// As many elements of one size as fill a register, at most eight: Permute(p,
// lanes) loads them from p and reorders them; Select(bits, a, b) takes a where
// the bit is set, else b; Store past the caches asks for whole registers at p.
template <int Bytes>
struct Lanes;

template <>
struct Lanes<1> {
  static constexpr int kCount = 8;
  SCATTER_OPS_STEP __m128i Load(const uint8_t* p) { return LaneBytes(p); }
  template <bool kPastCaches>
  SCATTER_OPS_STEP void Store(uint8_t* p, __m128i v) {
    static_assert(!kPastCaches, "Eight bytes are too few.");
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
  template <bool kPastCaches>
  SCATTER_OPS_STEP void Store(uint16_t* p, __m128i v) {
    auto* to = reinterpret_cast<__m128i*>(p);
    kPastCaches ? _mm_stream_si128(to, v) : _mm_storeu_si128(to, v);
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

template <>
struct Lanes<4> {
  static constexpr int kCount = 8;
  SCATTER_OPS_STEP __m256i Load(const uint32_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  template <bool kPastCaches>
  SCATTER_OPS_STEP void Store(uint32_t* p, __m256i v) {
    auto* to = reinterpret_cast<__m256i*>(p);
    kPastCaches ? _mm256_stream_si256(to, v) : _mm256_storeu_si256(to, v);
  }
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
struct Lanes<8> {
  static constexpr int kCount = 4;
  SCATTER_OPS_STEP __m256i Load(const uint64_t* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  template <bool kPastCaches>
  SCATTER_OPS_STEP void Store(uint64_t* p, __m256i v) {
    auto* to = reinterpret_cast<__m256i*>(p);
    kPastCaches ? _mm256_stream_si256(to, v) : _mm256_storeu_si256(to, v);
  }
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

template <bool kPastCaches, typename Word>
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
        L::template Store<kPastCaches>(out + i + j, L::Load(from + j));
      }
      k += bits & 32;
    } else {
      for (int j = 0; j < 32; j += L::kCount) {
        const uint32_t few = bits >> j & kBits;
        const auto values = L::Permute(value + k, kLaneTables.expand[few]);
        L::template Store<kPastCaches>(
            out + i + j, L::Select(few, values, L::Load(x + i + j)));
        k += _mm_popcnt_u32(few);
      }
    }
  }
  *at = i;
  *taken = k;
}

// Each step writes as many elements as fill a register, the last ones without
// meaning.
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
        L::template Store<false>(
            out + k, L::Permute(in + i + j, kLaneTables.compress[few]));
        k += _mm_popcnt_u32(few);
      }
    }
  }
  *at = i;
  *taken = k;
}

// Whole vectors; returns how many elements they have. out starts with one.
template <typename Word>
SCATTER_OPS_TARGET int64_t StreamSelected(Word* out,
                                          const Word* x,
                                          const uint8_t* mask,
                                          const Word* value,
                                          int64_t n) {
  constexpr int64_t kCount = sizeof(__m256i) / sizeof(Word);
  // Vectors of words and of bytes at any address, which stand for other types.
  // Of a size that hangs on Word, GCC takes them in this form only.
  typedef Word Words __attribute__((vector_size(32), aligned(1), may_alias));
  typedef int8_t Bytes
      __attribute__((vector_size(kCount), aligned(1), may_alias));
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    const Bytes bytes = *reinterpret_cast<const Bytes*>(mask + i);
    const Words take =
        reinterpret_cast<Words>(__builtin_convertvector(bytes != 0, Words));
    const Words chosen = (*reinterpret_cast<const Words*>(value + i) & take) |
                         (*reinterpret_cast<const Words*>(x + i) & ~take);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(out + i),
                        reinterpret_cast<__m256i>(chosen));
  }
  return i;
}

inline bool StartsWithVector(const void* out) {
  return reinterpret_cast<uintptr_t>(out) % sizeof(__m256i) == 0;
}

#endif  // SCATTER_OPS_AVX2

// SelectBlock where stores go past the caches; false, with nothing done, where
// they do not, or out does not start with a vector.
template <typename Word>
bool SelectPastCaches(const TileStores& stores,
                      Word* out,
                      const Word* x,
                      const uint8_t* mask,
                      const Word* value,
                      int64_t n) {
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Word) <= 8) {
    if (!stores.past_caches() || !StartsWithVector(out)) return false;
    for (int64_t i = StreamSelected(out, x, mask, value, n); i < n; ++i) {
      out[i] = mask[i] != 0 ? value[i] : x[i];
    }
    return true;
  }
#endif
  return false;
}

// The beginning of ScatterEach, in whole groups of 32 elements, as far as 32
// values are left: moves *at behind the elements that are done, and *taken by
// the Trues among them.
template <typename Word>
void ScatterByPermute(Word* out,
                      const Word* x,
                      const uint8_t* mask,
                      const Word* value,
                      int64_t value_left,
                      int64_t n,
                      int64_t* at,
                      int64_t* taken) {
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Word) <= 8) {
    if (HasAvx2()) {
      ScatterGroups<false>(out, x, mask, value, value_left, n, at, taken);
    }
  }
#endif
}

// The same where stores go past the caches.
template <typename Word>
void ScatterPastCaches(const TileStores& stores,
                       Word* out,
                       const Word* x,
                       const uint8_t* mask,
                       const Word* value,
                       int64_t value_left,
                       int64_t n,
                       int64_t* at,
                       int64_t* taken) {
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Word) > 1 && sizeof(Word) <= 8) {
    if (stores.past_caches() && StartsWithVector(out)) {
      ScatterGroups<true>(out, x, mask, value, value_left, n, at, taken);
    }
  }
#endif
}

// The same of GatherBlock.
template <typename Word>
void GatherByPermute(Word* out,
                     int64_t capacity,
                     const Word* in,
                     const uint8_t* mask,
                     int64_t n,
                     int64_t* at,
                     int64_t* taken) {
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Word) <= 8) {
    if (HasAvx2()) GatherGroups(out, capacity, in, mask, n, at, taken);
  }
#endif
}

}  // namespace phi::funcs::scatter_ops
