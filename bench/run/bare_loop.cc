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
#include <vector>

namespace {

// Of 32 bytes each.
struct Words {
  explicit Words(int64_t bytes) : size(bytes / 32) {
    const int64_t room = (bytes / kHugePage + 1) * kHugePage;
    data = static_cast<__m256i*>(std::aligned_alloc(kHugePage, room));
    madvise(data, room, MADV_HUGEPAGE);
    std::fill_n(data, size, _mm256_set1_epi64x(1));
  }
  static constexpr int64_t kHugePage = int64_t{1} << 21;
  int64_t size;
  __m256i* data;  // kept until the program ends
};

constexpr int64_t kParts = 4096;
constexpr int kPasses = 9;

// What keeps the reads from being optimised away.
volatile int64_t sink;

void Pass(const Words& in, const Words& out, bool streams) {
  int64_t total = 0;
#pragma omp parallel for reduction(+ : total)
  for (int64_t part = 0; part < kParts; ++part) {
    __m256i sum = _mm256_setzero_si256();
    const int64_t last_read = in.size * (part + 1) / kParts;
    for (int64_t i = in.size * part / kParts; i < last_read; ++i) {
      sum = _mm256_add_epi64(sum, in.data[i]);
    }
    total += _mm256_extract_epi64(sum, 0);
    __m256i* word = out.data + out.size * part / kParts;
    __m256i* const end = out.data + out.size * (part + 1) / kParts;
    if (streams) {
      for (; word < end; ++word) _mm256_stream_si256(word, sum);
    } else {
      std::fill(word, end, sum);
    }
  }
  sink = total;
}

double Milliseconds(const Words& in, const Words& out, bool streams) {
  std::vector<double> found;
  for (int i = 0; i <= kPasses; ++i) {
    const auto start = std::chrono::steady_clock::now();
    Pass(in, out, streams);
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    if (i > 0) found.push_back(taken.count());  // the first one warms up
  }
  std::nth_element(found.begin(), found.begin() + kPasses / 2, found.end());
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
