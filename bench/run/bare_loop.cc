// Milliseconds of a pass over so many bytes read and written, which does
// nothing else: bare_loop READ WRITTEN. By OMP_NUM_THREADS threads, of huge
// pages that have been touched before; the better one of plain and of streaming
// stores.

#include <immintrin.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int64_t kHugePage = int64_t{1} << 21;
constexpr int64_t kParts = 4096;
constexpr int kPasses = 9;

// Of 32 bytes each, kept until the program ends.
struct Words {
  explicit Words(int64_t bytes) : size(bytes / 32) {
    const int64_t room = (bytes / kHugePage + 1) * kHugePage;
    data = static_cast<__m256i*>(std::aligned_alloc(kHugePage, room));
    madvise(data, room, MADV_HUGEPAGE);
    std::fill_n(data, size, _mm256_set1_epi64x(1));
  }
  __m256i* Part(int64_t part) const { return data + size * part / kParts; }
  int64_t size;
  __m256i* data;
};

// What keeps the reads from being optimised away.
volatile int64_t sink;

void Pass(const Words& in, const Words& out, bool streams) {
  int64_t total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int64_t part = 0; part < kParts; ++part) {
    __m256i sum = _mm256_setzero_si256();
    for (const __m256i* word = in.Part(part); word < in.Part(part + 1);
         ++word) {
      sum = _mm256_add_epi64(sum, *word);
    }
    total += _mm256_extract_epi64(sum, 0);
    __m256i* word = out.Part(part);
    for (; streams && word < out.Part(part + 1); ++word) {
      _mm256_stream_si256(word, sum);
    }
    std::fill(word, out.Part(part + 1), sum);
  }
  sink = total;
}

double Milliseconds(const Words& in, const Words& out, bool streams) {
  double found[kPasses];
  Pass(in, out, streams);  // warms up
  for (double& taken : found) {
    const auto start = std::chrono::steady_clock::now();
    Pass(in, out, streams);
    const std::chrono::duration<double, std::milli> spent =
        std::chrono::steady_clock::now() - start;
    taken = spent.count();
  }
  std::nth_element(found, found + kPasses / 2, found + kPasses);
  return found[kPasses / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const Words in(std::atoll(argv[1])), out(std::atoll(argv[2]));
  std::printf(
      "%.6f\n",
      std::min(Milliseconds(in, out, false), Milliseconds(in, out, true)));
}
