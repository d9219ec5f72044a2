// Milliseconds of passes over so many bytes read and written, which do nothing
// else: bare_loop READ WRITTEN PASSES. By OMP_NUM_THREADS threads; first with
// plain stores, then with as many passes of streaming ones.

#include <immintrin.h>
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Words = std::vector<__m256i>;

// What keeps the reads from being optimised away.
volatile int64_t sink;

void Pass(const Words& in, Words* out, bool streams) {
  constexpr int64_t kParts = 4096;
  int64_t total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int64_t part = 0; part < kParts; ++part) {
    auto sum = _mm256_setzero_si256();
    const auto end = in.begin() + in.size() * (part + 1) / kParts;
    for (auto at = in.begin() + in.size() * part / kParts; at < end; ++at) {
      sum = _mm256_add_epi64(sum, *at);
    }
    total += _mm256_extract_epi64(sum, 0);
    auto to = out->begin() + out->size() * part / kParts;
    const auto out_end = out->begin() + out->size() * (part + 1) / kParts;
    for (; streams && to < out_end; ++to) _mm256_stream_si256(&*to, sum);
    std::fill(to, out_end, sum);
  }
  sink = total;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto ones = _mm256_set1_epi64x(1);
  const Words in(std::atoll(argv[1]) / sizeof(ones), ones);
  Words out(std::atoll(argv[2]) / sizeof(ones), ones);
  const int passes = std::atoi(argv[3]);
  for (int pass = 0; pass < 2 * passes; ++pass) {
    const double start = omp_get_wtime();
    Pass(in, &out, pass >= passes);
    std::printf("%.6f\n", (omp_get_wtime() - start) * 1e3);
  }
}
