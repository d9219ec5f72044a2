// Sums of rows that a block stages in shared memory: several tiles for a block,
// two levels of parts, and slots of one and of very many positions.

#include <cstdio>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/reduce_groups.cu.h"

namespace ops = phi::funcs::scatter_ops;

namespace {

constexpr int64_t kRows = 9;
constexpr int64_t kSize = 4;
constexpr int64_t kLength = 1100;

// Of sorted entries: slot 0 has the first, slot 1 the next 1060, slot 2 none.
uint32_t SlotOf(int64_t entry) { return entry == 0 ? 0 : entry < 1061 ? 1 : 3; }

}  // namespace

int main() {
  std::vector<uint32_t> keys(kLength), order(kLength), ends(kSize);
  for (int64_t i = 0; i < kLength; ++i) {
    keys[i] = SlotOf(i);
    order[i] = static_cast<uint32_t>(i * 7 % kLength);  // each of them once
    for (uint32_t slot = keys[i]; slot < kSize; ++slot) ends[slot] = i + 1;
  }
  std::vector<int64_t> x(kRows * kSize, 5), updates(kRows * kLength),
      out(kRows * kSize, 99);
  std::vector<int64_t> expected = x;
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t i = 0; i < kLength; ++i) {
      const int64_t value = row * 100000 + i;
      updates[row * kLength + order[i]] = value;
      expected[row * kSize + keys[i]] += value;
    }
  }
  const ops::SlotGroups groups{kLength,
                               kSize,
                               /*by_slot=*/true,
                               /*slots=*/{},
                               {keys.data(), /*wide=*/false},
                               order.data(),
                               ends.data()};
  const ops::AxisView view(common::make_ddim({kRows, kSize}),
                           common::make_ddim({kRows, kLength}),
                           /*axis=*/1);
  ops::ReduceSlotsGpu(phi::GPUContext(nullptr, 1),
                      ops::SlotReducer<int64_t, ops::IndexReduce::kSum>{
                          groups, view, x.data(), updates.data(), out.data()});
  if (out == expected) return 0;
  std::printf("a sum is wrong\n");
  return 1;
}
