// Conversions of rows between half types and the types in which they are
// reduced.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"

#ifdef SCATTER_OPS_AVX2
#include <cpuid.h>
#endif

namespace phi::funcs::scatter_ops {

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
