// Milliseconds of passes over so many bytes read and written, which do nothing
// else: bare_loop READ WRITTEN PASSES. By OMP_NUM_THREADS threads; first with
// plain stores, then with as many passes of streaming ones.

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct alignas(32) Word {
  __m256i bits = _mm256_set1_epi64x(1);
};
using Words = std::vector<Word>;

// What keeps the reads from being optimised away.
volatile int64_t sink;

void Pass(const Words& in, Words* out, bool streams) {
  constexpr int64_t kParts = 4096;
  int64_t total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int64_t part = 0; part < kParts; ++part) {
    Word sum;
    const auto end = in.begin() + in.size() * (part + 1) / kParts;
    for (auto at = in.begin() + in.size() * part / kParts; at < end; ++at) {
      sum.bits = _mm256_add_epi64(sum.bits, at->bits);
    }
    total += _mm256_extract_epi64(sum.bits, 0);
    auto to = out->begin() + out->size() * part / kParts;
    const auto out_end = out->begin() + out->size() * (part + 1) / kParts;
    for (; streams && to < out_end; ++to) {
      _mm256_stream_si256(&to->bits, sum.bits);
    }
    std::fill(to, out_end, sum);
  }
  sink = total;
}

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const Words in(std::atoll(argv[1]) / sizeof(Word));
  Words out(std::atoll(argv[2]) / sizeof(Word));
  const int passes = std::atoi(argv[3]);
  for (int pass = 0; pass < 2 * passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    Pass(in, &out, pass >= passes);
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    std::printf("%.6f\n", spent.count());
  }
}
