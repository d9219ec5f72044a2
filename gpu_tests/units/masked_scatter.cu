// masked_scatter and its gradient over a full tile and a part of one: what the
// threads of a block leave for each other in shared memory.

#include <cstdio>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/masked_scatter.cu.h"

namespace ops = phi::funcs::scatter_ops;

namespace {

using Word = uint64_t;
constexpr int64_t kLength = ops::kTileSize + 701;

template <bool kGrad>
bool IsRight(const char* name) {
  std::vector<uint8_t> mask(kLength);
  std::vector<Word> in(kLength), out(kLength, 99), values(kLength, 7);
  int64_t count = 0;
  for (int64_t i = 0; i < kLength; ++i) {
    mask[i] = i * 7919 % 5 < 2;
    in[i] = i + 1000;
    if (mask[i] && !kGrad) values[count] = i;
    count += mask[i];
  }
  const auto dims = common::make_ddim({kLength});
  const ops::OperandView view({dims, dims});
  const phi::GPUContext dev_ctx(nullptr, 1);
  const ops::GpuOperand<uint8_t> from_mask{mask.data(), view};
  const ops::GpuOperand<Word> from_in{in.data(), view};
  const ops::TruesBefore before(dev_ctx, from_mask, kLength);
  if constexpr (kGrad) {
    const int64_t numel = count + 3;
    const ops::GatherElement<Word> gather{in.data(), values.data(), numel};
    ops::MoveByMask(dev_ctx, from_mask, kLength, before, gather);
    ops::ForEach(dev_ctx,
                 numel,
                 ops::ZeroUnusedValues<Word>{values.data(), before.total()});
    ops::ForEach(dev_ctx,
                 kLength,
                 ops::ZeroMasked<Word>{from_mask, from_in, out.data()});
  } else {
    const ops::ScatterElement<Word> scatter{from_in, values.data(), out.data()};
    ops::MoveByMask(dev_ctx, from_mask, kLength, before, scatter);
  }
  int64_t k = 0;
  bool right = true;
  for (int64_t i = 0; i < kLength; ++i) {
    const Word taken = kGrad ? 0 : i;
    right = right && out[i] == (mask[i] ? taken : in[i]);
    if (kGrad && mask[i]) right = right && values[k++] == in[i];
  }
  for (int spare = 0; kGrad && spare < 3; ++spare) {
    right = right && values[k++] == 0;
  }
  if (!right) std::printf("%s: wrong\n", name);
  return right;
}

}  // namespace

int main() {
  const bool forward = IsRight<false>("forward");
  const bool backward = IsRight<true>("gradient");
  return forward && backward ? 0 : 1;
}
