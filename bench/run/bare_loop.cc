// Milliseconds of a pass over so many bytes read and written, which does
// nothing else: bare_loop READ WRITTEN. By OMP_NUM_THREADS threads; the better
// one of plain and of streaming stores.

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int64_t kParts = 4096;
constexpr int kPasses = 9;

struct alignas(32) Word {
  __m256i bits = _mm256_set1_epi64x(1);
};
using Words = std::vector<Word>;

// What keeps the reads from being optimised away.
volatile int64_t sink;

void Pass(const Words& in, Words* out, bool streams) {
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

double Milliseconds(const Words& in, Words* out, bool streams) {
  std::vector<double> found;
  while (found.size() < kPasses) {
    const auto start = std::chrono::steady_clock::now();
    Pass(in, out, streams);
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    found.push_back(spent.count());
  }
  std::nth_element(found.begin(), found.begin() + kPasses / 2, found.end());
  return found[kPasses / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Words in(std::atoll(argv[1]) / sizeof(Word));
  Words out(std::atoll(argv[2]) / sizeof(Word));
  std::printf(
      "%.6f\n",
      std::min(Milliseconds(in, &out, false), Milliseconds(in, &out, true)));
}
