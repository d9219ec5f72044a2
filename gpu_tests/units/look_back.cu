// The look-back of the scan, on words that are there from the start and on
// words that come late.

#include <cstdio>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/masked_scatter.cu.h"

using phi::funcs::scatter_ops::kScanPrefix;
using phi::funcs::scatter_ops::kScanTile;
using phi::funcs::scatter_ops::LookBack;
using phi::funcs::scatter_ops::PublishScan;
using phi::funcs::scatter_ops::ScanCount;

namespace {

constexpr int kPrefixAt = 49;
constexpr int kAggregates = 100;
constexpr int kTile = kPrefixAt + kAggregates + 1;
constexpr int64_t kPrefix = 5000;
constexpr int64_t kOwn = 17;

int64_t CountOf(int tile) { return 3 * tile + 1; }

// The last block looks back while one before it publishes, the nearest tile
// last.
__global__ void LookBackKernel(uint64_t* words, int64_t* before) {
  if (blockIdx.x == gridDim.x - 1) {
    const int64_t found = LookBack(words, kTile, kOwn);
    if (threadIdx.x == 0) *before = found;
  } else if (threadIdx.x == 0) {
    for (int tile = 0; tile < kTile; ++tile) {
      const bool prefix = tile == kPrefixAt;
      PublishScan(words + tile,
                  prefix ? kPrefix : CountOf(tile),
                  prefix ? kScanPrefix : kScanTile);
    }
  }
}

bool IsRight(const char* name, int64_t before, uint64_t word) {
  int64_t expected = kPrefix;
  for (int tile = kPrefixAt + 1; tile < kTile; ++tile) {
    expected += CountOf(tile);
  }
  const bool right = before == expected && ScanCount(word) == expected + kOwn &&
                     (word & 3) == kScanPrefix;
  if (!right) {
    std::printf("%s: %lld expected, found %lld, published %lld\n",
                name,
                static_cast<long long>(expected),
                static_cast<long long>(before),
                static_cast<long long>(ScanCount(word)));
  }
  return right;
}

}  // namespace

int main() {
  int64_t before = -1;
  std::vector<uint64_t> words(kTile + 1);
  for (int tile = 0; tile < kTile; ++tile) {
    words[tile] = static_cast<uint64_t>(CountOf(tile)) << 2 | kScanTile;
  }
  words[kPrefixAt] = static_cast<uint64_t>(kPrefix) << 2 | kScanPrefix;
  LookBackKernel<<<1, 32>>>(words.data(), &before);
  bool right = IsRight("words that are there", before, words[kTile]);
  // longer than a block needs to look at a window
  cuda_emulator::PauseAfterVolatileStores(1000);
  for (int turn = 0; turn < 3; ++turn) {
    words.assign(kTile + 1, 0);
    LookBackKernel<<<2, 32>>>(words.data(), &before);
    right &= IsRight("words that come late", before, words[kTile]);
  }
  return right ? 0 : 1;
}
