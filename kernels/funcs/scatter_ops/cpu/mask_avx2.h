// Masked scatter and gather with AVX2, which has no compress or expand
// instructions: eight mask bits look up a permute that moves elements to or
// from their lanes. Branching per element would mispredict. Elements of 16
// bytes use the portable loops.

#pragma once

#include <cstdint>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"

namespace phi::funcs::scatter_ops {

#ifdef SCATTER_OPS_AVX2

// A function that is inlined into one compiled for AVX2.
#define SCATTER_OPS_INLINE \
  __attribute__((target("avx2,popcnt"), always_inline)) static inline

// expand[bits][i] is the number of set bits below i: the value for lane i.
// compress[bits][k] is the lane of the k-th set bit.
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

SCATTER_OPS_INLINE __m128i LaneBytes(const uint8_t* table) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(table));
}

// Bit i is set if mask[i] is True, for 32 mask bytes.
SCATTER_OPS_INLINE uint32_t MaskBits32(const uint8_t* mask) {
  const __m256i bytes =
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
  return ~static_cast<uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_setzero_si256())));
}

// Registers of at most eight elements of one size: Permute(p, lanes) loads
// elements and permutes them; Select(bits, a, b) blends, a where the bit is
// set.
template <int Bytes>
struct Lanes;

template <>
struct Lanes<1> {
  static constexpr int kCount = 8;
  SCATTER_OPS_INLINE __m128i Load(const uint8_t* p) { return LaneBytes(p); }
  SCATTER_OPS_INLINE void Store(uint8_t* p, __m128i v) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), v);
  }
  SCATTER_OPS_INLINE __m128i Permute(const uint8_t* p, const uint8_t* lanes) {
    return _mm_shuffle_epi8(LaneBytes(p), LaneBytes(lanes));
  }
  SCATTER_OPS_INLINE __m128i Select(uint32_t bits, __m128i a, __m128i b) {
    const __m128i bit = _mm_set1_epi64x(0x8040201008040201);
    const __m128i all = _mm_set1_epi8(static_cast<char>(bits));
    const __m128i selected = _mm_cmpeq_epi8(_mm_and_si128(all, bit), bit);
    return _mm_blendv_epi8(b, a, selected);
  }
};

template <>
struct Lanes<2> {
  static constexpr int kCount = 8;
  SCATTER_OPS_INLINE __m128i Load(const uint16_t* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  SCATTER_OPS_INLINE void Store(uint16_t* p, __m128i v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v);
  }
  SCATTER_OPS_INLINE __m128i Permute(const uint16_t* p, const uint8_t* lanes) {
    // Lane j is bytes 2j and 2j + 1.
    const __m128i bytes =
        _mm_add_epi16(_mm_mullo_epi16(_mm_cvtepu8_epi16(LaneBytes(lanes)),
                                      _mm_set1_epi16(0x0202)),
                      _mm_set1_epi16(0x0100));
    return _mm_shuffle_epi8(Load(p), bytes);
  }
  SCATTER_OPS_INLINE __m128i Select(uint32_t bits, __m128i a, __m128i b) {
    const __m128i bit = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    const __m128i all = _mm_set1_epi16(static_cast<int16_t>(bits));
    const __m128i selected = _mm_cmpeq_epi16(_mm_and_si128(all, bit), bit);
    return _mm_blendv_epi8(b, a, selected);
  }
};

// Loads and stores of 256 bits.
struct WideLanes {
  SCATTER_OPS_INLINE __m256i Load(const void* p) {
    return _mm256_loadu_si256(static_cast<const __m256i*>(p));
  }
  SCATTER_OPS_INLINE void Store(void* p, __m256i v) {
    _mm256_storeu_si256(static_cast<__m256i*>(p), v);
  }
};

template <>
struct Lanes<4> : WideLanes {
  static constexpr int kCount = 8;
  SCATTER_OPS_INLINE __m256i Permute(const uint32_t* p, const uint8_t* lanes) {
    return _mm256_permutevar8x32_epi32(Load(p),
                                       _mm256_cvtepu8_epi32(LaneBytes(lanes)));
  }
  SCATTER_OPS_INLINE __m256i Select(uint32_t bits, __m256i a, __m256i b) {
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi32(static_cast<int32_t>(bits));
    const __m256i selected =
        _mm256_cmpeq_epi32(_mm256_and_si256(all, bit), bit);
    return _mm256_blendv_epi8(b, a, selected);
  }
};

template <>
struct Lanes<8> : WideLanes {
  static constexpr int kCount = 4;
  SCATTER_OPS_INLINE __m256i Permute(const uint64_t* p, const uint8_t* lanes) {
    // 64-bit lane j is 32-bit lanes 2j and 2j + 1.
    const __m256i four = _mm256_cvtepu8_epi64(LaneBytes(lanes));
    const __m256i low = _mm256_add_epi64(four, four);
    const __m256i high =
        _mm256_slli_epi64(_mm256_add_epi64(low, _mm256_set1_epi64x(1)), 32);
    return _mm256_permutevar8x32_epi32(Load(p), _mm256_or_si256(low, high));
  }
  SCATTER_OPS_INLINE __m256i Select(uint32_t bits, __m256i a, __m256i b) {
    const __m256i bit = _mm256_setr_epi64x(1, 2, 4, 8);
    const __m256i all = _mm256_set1_epi64x(bits);
    const __m256i selected =
        _mm256_cmpeq_epi64(_mm256_and_si256(all, bit), bit);
    return _mm256_blendv_epi8(b, a, selected);
  }
};

// The part of ScatterBlock in whole vectors of 32 elements, while 32 values are
// left. Advances *at past the processed elements, and *num_selected by the True
// elements among them.
template <typename Storage>
SCATTER_OPS_TARGET void ScatterVectors(Storage* out,
                                       const Storage* x,
                                       const uint8_t* mask,
                                       const Storage* value,
                                       int64_t values_left,
                                       int64_t n,
                                       int64_t* at,
                                       int64_t* num_selected) {
  using L = Lanes<sizeof(Storage)>;
  constexpr uint32_t kBits = (1u << L::kCount) - 1;
  int64_t i = *at;
  int64_t k = *num_selected;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits != 0 && k + 32 > values_left) break;
    if (bits == 0 && out == x) continue;
    if (bits == 0 || bits == ~uint32_t{0}) {
      const Storage* from = bits == 0 ? x + i : value + k;
      for (int j = 0; j < 32; j += L::kCount) {
        L::Store(out + i + j, L::Load(from + j));
      }
      k += bits & 32;
    } else {
      for (int j = 0; j < 32; j += L::kCount) {
        const uint32_t chunk = bits >> j & kBits;
        const auto values = L::Permute(value + k, kLaneTables.expand[chunk]);
        L::Store(out + i + j, L::Select(chunk, values, L::Load(x + i + j)));
        k += _mm_popcnt_u32(chunk);
      }
    }
  }
  *at = i;
  *num_selected = k;
}

// The same for GatherBlock. Each store writes a whole register; elements past
// the selected ones are garbage that the next store overwrites.
template <typename Storage>
SCATTER_OPS_TARGET void GatherVectors(Storage* out,
                                      int64_t capacity,
                                      const Storage* in,
                                      const uint8_t* mask,
                                      int64_t n,
                                      int64_t* at,
                                      int64_t* num_selected) {
  using L = Lanes<sizeof(Storage)>;
  constexpr uint32_t kBits = (1u << L::kCount) - 1;
  int64_t i = *at;
  int64_t k = *num_selected;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits == 0) continue;
    if (k + 32 > capacity) break;
    if (bits == ~uint32_t{0}) {
      std::memcpy(out + k, in + i, 32 * sizeof(Storage));
      k += 32;
    } else {
      for (int j = 0; j < 32; j += L::kCount) {
        const uint32_t chunk = bits >> j & kBits;
        L::Store(out + k, L::Permute(in + i + j, kLaneTables.compress[chunk]));
        k += _mm_popcnt_u32(chunk);
      }
    }
  }
  *at = i;
  *num_selected = k;
}

#endif  // SCATTER_OPS_AVX2

}  // namespace phi::funcs::scatter_ops
