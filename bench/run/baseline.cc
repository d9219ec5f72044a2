// Memory-bandwidth baseline: `baseline READ WRITTEN` prints the milliseconds in
// which OMP_NUM_THREADS threads sequentially read and write these numbers of
// bytes, without page faults: the lower median of regular and non-temporal
// stores.

#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Vectors = std::vector<__m256i>;

long long ReadAndWrite(const Vectors& in, Vectors* out, bool non_temporal) {
  constexpr size_t kParts = 4096;
  long long total = 0;
#pragma omp parallel for reduction(+ : total)
  for (size_t part = 0; part < kParts; ++part) {
    auto sum = _mm256_setzero_si256();
    const size_t end = in.size() * (part + 1) / kParts;
    for (size_t i = in.size() * part / kParts; i < end; ++i) {
      sum = _mm256_add_epi64(sum, in[i]);
    }
    total += _mm256_extract_epi64(sum, 0);
    auto* to = out->data() + out->size() * part / kParts;
    auto* const out_end = out->data() + out->size() * (part + 1) / kParts;
    for (; non_temporal && to < out_end; ++to) _mm256_stream_si256(to, sum);
    std::fill(to, out_end, sum);
  }
  return total;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto ones = _mm256_set1_epi64x(1);
  const Vectors in(std::atoll(argv[1]) / sizeof(ones), ones);
  Vectors out(std::atoll(argv[2]) / sizeof(ones), ones);
  std::array<double, 2> medians;
  for (const bool non_temporal : {false, true}) {
    std::array<double, 9> times;
    for (double& time : times) {
      time = -omp_get_wtime();
      if (ReadAndWrite(in, &out, non_temporal) < 0) return 1;
      time += omp_get_wtime();
    }
    std::sort(times.begin(), times.end());
    medians[non_temporal] = times[4] * 1e3;
  }
  std::printf("%.6f\n", std::min(medians[0], medians[1]));
}
