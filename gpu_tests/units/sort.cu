// The parts of the sort, and a sort of more tiles than one block scans at a
// time.

#include <cstdio>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/sort.cu.h"

namespace ops = phi::funcs::scatter_ops;

namespace {

constexpr int64_t kLength = ops::kSortTile * ops::kGpuThreads + 5000;

// One call after another: what the second writes is read by the first.
__global__ void SumTwiceKernel(int* out) {
  int all;
  const int first = ops::SumBefore(1, &all);
  const int second = ops::SumBefore(2, &all);
  out[threadIdx.x] = first + second;
}

__global__ void RankKernel(int* out) {
  __shared__ int counts[ops::kDigits];
  for (int d = threadIdx.x; d < ops::kDigits; d += 32) counts[d] = 0;
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    sum += ops::RankInWarp(true, threadIdx.x % 5, counts);
  }
  out[threadIdx.x] = sum;
}

bool SumsAreRight() {
  std::vector<int> out(ops::kGpuThreads);
  SumTwiceKernel<<<1, ops::kGpuThreads>>>(out.data());
  for (int i = 0; i < ops::kGpuThreads; ++i) {
    if (out[i] != 3 * i) return false;
  }
  return true;
}

bool RanksAreRight() {
  std::vector<int> out(32);
  RankKernel<<<1, 32>>>(out.data());
  for (int i = 0; i < 32; ++i) {
    const int of_digit = (32 - i % 5 + 4) / 5;
    if (out[i] != 3 * (i / 5) + 3 * of_digit) return false;
  }
  return true;
}

bool SortIsRight() {
  std::vector<int> keys(kLength), buffers[4];
  for (int64_t i = 0; i < kLength; ++i) keys[i] = i * 7919 % 251;
  for (std::vector<int>& buffer : buffers) buffer.resize(kLength);
  std::vector<int> counts(ops::SortCounts(kLength)), totals(ops::kDigits);
  ops::SortPlan<int> plan{};
  plan.first = {{keys.data(), nullptr},
                {buffers[0].data(), buffers[1].data()},
                kLength,
                ops::SortTiles(kLength),
                0,
                counts.data(),
                totals.data()};
  plan.spare = {buffers[2].data(), buffers[3].data()};
  plan.passes = ops::SortPasses(251);
  ops::SortGpu(plan, nullptr);
  const ops::SortItems<int> sorted = plan.sorted();
  for (int64_t i = 0; i < kLength; ++i) {
    const int origin = sorted.origins[i];
    if (sorted.keys[i] != keys[origin]) return false;
    if (i == 0) continue;
    const bool in_order = sorted.keys[i - 1] < sorted.keys[i] ||
                          (sorted.keys[i - 1] == sorted.keys[i] &&
                           sorted.origins[i - 1] < origin);
    if (!in_order) return false;
  }
  return true;
}

bool Report(const char* name, bool right) {
  if (!right) std::printf("%s: wrong\n", name);
  return right;
}

}  // namespace

// With an argument: the long sort.
int main(int count, char**) {
  if (count > 1) return Report("SortGpu", SortIsRight()) ? 0 : 1;
  bool right = Report("SumBefore", SumsAreRight());
  right &= Report("RankInWarp", RanksAreRight());
  return right ? 0 : 1;
}
