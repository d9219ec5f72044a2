// masked_scatter and its gradients on the CPU, on raw pointers. Instantiated by
// element size.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_ops.h"

namespace phi::funcs::scatter_ops {

// out[i] = mask[i] ? the next value : x[i]; returns the number of True
// elements. Reads at most `values_left` values. out may be x.
template <typename Storage>
int64_t ScatterBlock(Storage* out,
                     const Storage* x,
                     const uint8_t* mask,
                     const Storage* value,
                     int64_t values_left,
                     int64_t n) {
  int64_t i = 0;
  int64_t k = 0;
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Storage) <= 8) {
    if (HasAvx2()) {
      ScatterVectors(out, x, mask, value, values_left, n, &i, &k);
    }
  }
#endif
  for (; i < n; ++i) {
    // A True with k >= values_left means that another thread changed the mask.
    const bool selected = IsTrue(mask, i) & (k < values_left);
    // Not a conditional: GCC compiles it to a branch, and the mask is
    // unpredictable.
    const Storage* const sources[] = {x + i, value + k};
    out[i] = *sources[selected];
    k += selected;
  }
  return k;
}

// Copies the selected elements of `in`, in order, to out and returns their
// number, at most `capacity`. May write garbage after them, below
// `capacity`, so concurrent calls need disjoint outputs.
template <typename Storage>
int64_t GatherBlock(Storage* out,
                    int64_t capacity,
                    const Storage* in,
                    const uint8_t* mask,
                    int64_t n) {
  int64_t i = 0;
  int64_t k = 0;
#ifdef SCATTER_OPS_AVX2
  if constexpr (sizeof(Storage) <= 8) {
    if (HasAvx2()) GatherVectors(out, capacity, in, mask, n, &i, &k);
  }
#endif
  for (; i < n && k < capacity; ++i) {
    out[k] = in[i];
    k += IsTrue(mask, i);
  }
  return k;
}

inline int64_t CountTrue(const uint8_t* mask, int64_t n) {
  int64_t count = 0;
  CallVectorized([&] {
    // At most 128 per chunk, so the count fits in a uint8_t. The constant
    // length keeps compilers from adding a remainder loop to each chunk.
    constexpr int64_t kChunk = 128;
    int64_t i = 0;
    for (; i + kChunk <= n; i += kChunk) {
      uint8_t chunk_count = 0;
      for (int64_t j = 0; j < kChunk; ++j) chunk_count += IsTrue(mask, i + j);
      count += chunk_count;
    }
    for (; i < n; ++i) count += IsTrue(mask, i);
  });
  return count;
}

inline int64_t CountTrueIn(const MaskView& mask, int64_t begin, int64_t end) {
  int64_t count = 0;
  mask.view.ForEachRun(
      begin, end, [&](int64_t offset, int64_t stride, int64_t n) {
        if (stride == 0) {
          count += IsTrue(mask.data, offset) ? n : 0;
        } else {
          count += CountTrue(mask.data + offset, n);
        }
      });
  return count;
}

// Returns the number of True elements. If it is at most `limit`, calls
// f(i, begin, end) for each tile i, where [begin, end) are the ranks of its
// True elements.
template <typename F>
int64_t ForEachMaskTile(const MaskView& mask,
                        const Tiles& tiles,
                        int64_t limit,
                        const F& f) {
  std::vector<int64_t> begin(tiles.count + 1, 0);
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    begin[i + 1] = CountTrueIn(mask, tiles.begin(i), tiles.end(i));
  });
  for (int64_t i = 0; i < tiles.count; ++i) begin[i + 1] += begin[i];
  const int64_t total = begin[tiles.count];
  if (total > limit) return total;
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    f(i, begin[i], begin[i + 1]);
  });
  return total;
}

// out[i] = mask[i] ? the next value : x[i]. Returns the number of True
// elements. If it exceeds value_numel, nothing is written.
template <typename Storage>
int64_t MaskedScatterCpu(Storage* out,
                         int64_t numel,
                         const BroadcastOperand<Storage>& x,
                         const MaskView& mask,
                         const Storage* value,
                         int64_t value_numel) {
  const Tiles tiles(numel, sizeof(Storage));
  return ForEachMaskTile(
      mask, tiles, value_numel, [&](int64_t i, int64_t k, int64_t) {
        const auto write_values = [&](Storage* to, int64_t n) {
          n = std::min(n, value_numel - k);  // as in ScatterBlock
          std::memcpy(to, value + k, n * sizeof(Storage));
          k += n;
        };
        if (WriteRuns(out, x, mask, tiles, i, write_values)) return;
        uint8_t mask_scratch[kMaskBlock];
        Storage x_scratch[kMaskBlock];
        for (int64_t b = tiles.begin(i); b < tiles.end(i); b += kMaskBlock) {
          const int64_t n = std::min(kMaskBlock, tiles.end(i) - b);
          k += ScatterBlock(out + b,
                            x.view.Read(x.data, b, n, x_scratch),
                            mask.view.Read(mask.data, b, n, mask_scratch),
                            value + k,
                            value_numel - k,
                            n);
        }
      });
}

// value_grad = the selected elements of out_grad in order, then zeros. x_grad =
// mask ? 0 : out_grad, or null if it is not to be written; it may be out_grad.
// Returns the number of True elements; if it exceeds value_numel, nothing is
// written.
template <typename Storage>
int64_t MaskedScatterGradCpu(const Storage* out_grad,
                             int64_t numel,
                             const MaskView& mask,
                             Storage* x_grad,
                             Storage* value_grad,
                             int64_t value_numel) {
  const Tiles tiles(numel, sizeof(Storage));
  const auto gather_tile = [&](int64_t i, int64_t k, int64_t k_end) {
    static constexpr Storage kZeros[kSelectBlock<Storage>] = {};
    uint8_t mask_scratch[kSelectBlock<Storage>];
    // Blocked, so that the second read of out_grad hits the cache.
    for (int64_t b = tiles.begin(i); b < tiles.end(i);
         b += kSelectBlock<Storage>) {
      const int64_t n = std::min(kSelectBlock<Storage>, tiles.end(i) - b);
      const Storage* grad = out_grad + b;
      const uint8_t* mask_block = mask.view.Read(mask.data, b, n, mask_scratch);
      k += GatherBlock(value_grad + k, k_end - k, grad, mask_block, n);
      if (x_grad == nullptr) continue;
      CallVectorized(
          [&] { SelectEach(x_grad + b, grad, mask_block, kZeros, n); });
    }
  };
  const int64_t total = ForEachMaskTile(mask, tiles, value_numel, gather_tile);
  if (total < value_numel) {
    ParallelZero(value_grad + total, (value_numel - total) * sizeof(Storage));
  }
  return total;
}

}  // namespace phi::funcs::scatter_ops
