// Conversions between half types and the types in which they are reduced, of
// elements and of rows.

#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

#ifdef SCATTER_OPS_AVX2
#include <cpuid.h>
#endif

namespace phi::funcs::scatter_ops {

// first ? one : other, in a form that compilers vectorize. They vectorize
// neither a select of structs nor conditional floating point arithmetic, such
// as converting a float16 only if it is selected.
template <typename T>
inline T SelectVectorized(bool first, T one, T other) {
  if constexpr (std::is_same<T, dtype::float16>::value) {
    one.x = SelectBits(first, one.x, other.x);
  } else if constexpr (kIsHalf<T>) {
    one.x = first ? one.x : other.x;
  } else {
    one = first ? one : other;
  }
  return one;
}

// Rounds to nearest even. Branchless, like the conversions to float.
inline dtype::bfloat16 RoundToBfloat16(float value) {
  const uint32_t bits = BitCast<uint32_t>(value);
  const uint32_t even = bits + 0x7fff + (bits >> 16 & 1);
  dtype::bfloat16 nearest;
  nearest.x = static_cast<uint16_t>(value != value ? 0x7fff : even >> 16);
  return nearest;
}

inline dtype::float16 RoundToFloat16(float value) {
  constexpr uint32_t kSmallestNormal = 113 << 23;
  constexpr uint32_t kTooLarge = 143 << 23;  // becomes infinity
  constexpr uint32_t kInfinity = 255u << 23;
  // In [0.5, 1), one ulp of a float is the spacing of float16 subnormals.
  constexpr uint32_t kHalf = 126 << 23;
  const uint32_t bits = BitCast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t sign = (bits ^ magnitude) >> 16;
  // As phi::float16 does: the upper bits of the payload, or 1 if they are zero.
  constexpr uint32_t kSmallestNan = kInfinity + (1 << 13);
  const uint32_t payload = std::max(magnitude, kSmallestNan) >> 13 & 0x3ff;
  const uint32_t nan = SelectBits(magnitude > kInfinity, payload, 0);
  const uint32_t clamped =
      SelectBits(magnitude < kTooLarge, magnitude, kTooLarge);
  const bool subnormal = clamped < kSmallestNormal;
  const uint32_t shift = SelectBits(subnormal, kHalf, 0);
  const uint32_t moved =
      BitCast<uint32_t>(BitCast<float>(clamped) + BitCast<float>(shift));
  const uint32_t even = moved + 0xfff + (moved >> 13 & 1);
  const uint32_t normal = (even - kHalfExponent) >> 13;
  dtype::float16 nearest;
  nearest.x = static_cast<uint16_t>(
      sign | nan | SelectBits(subnormal, moved - kHalf, normal));
  return nearest;
}

template <typename T, typename Sum>
inline T RoundTo(Sum sum) {
  if constexpr (std::is_same<T, dtype::bfloat16>::value) {
    return RoundToBfloat16(sum);
  } else if constexpr (std::is_same<T, dtype::float16>::value) {
    return RoundToFloat16(sum);
  } else {
    return static_cast<T>(sum);
  }
}

// Whether F16C instructions convert float16. They make signaling NaNs quiet.
inline bool HasF16c() {
#ifdef SCATTER_OPS_AVX2
  // Not all compilers accept __builtin_cpu_supports("f16c").
  static const bool has_f16c = [] {
    unsigned eax, ebx, ecx = 0, edx;
    __get_cpuid(1, &eax, &ebx, &ecx, &edx);
    return HasAvx2() && (ecx & bit_F16C) != 0;
  }();
  return has_f16c;
#else
  return false;
#endif
}

#ifdef SCATTER_OPS_AVX2
#define SCATTER_OPS_F16C __attribute__((target("avx2,f16c")))

SCATTER_OPS_F16C inline void ConvertByF16c(const dtype::float16* from,
                                           int64_t n,
                                           float* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const auto* halves = reinterpret_cast<const __m128i*>(from + i);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(halves)));
  }
  for (; i < n; ++i) to[i] = _cvtsh_ss(from[i].x);
}

SCATTER_OPS_F16C inline void ConvertByF16c(const float* from,
                                           int64_t n,
                                           dtype::float16* to) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto* halves = reinterpret_cast<__m128i*>(to + i);
    _mm_storeu_si128(halves, _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
  }
  for (; i < n; ++i) to[i].x = _cvtss_sh(from[i], 0);
}
#endif

// to = the n elements of `from`, rounded if To is a half type.
template <typename From, typename To>
void ConvertRow(const From* from, int64_t n, To* to) {
#ifdef SCATTER_OPS_AVX2
  if constexpr (std::is_same<From, dtype::float16>::value ||
                std::is_same<To, dtype::float16>::value) {
    if (HasF16c()) return ConvertByF16c(from, n, to);
  }
#endif
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (kIsHalf<To>) {
      to[i] = RoundTo<To>(from[i]);
    } else {
      to[i] = WidenTo<To>(from[i]);
    }
  }
}

}  // namespace phi::funcs::scatter_ops
