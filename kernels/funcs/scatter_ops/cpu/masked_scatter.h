// masked_scatter and its gradients on the CPU.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_avx2.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_ops.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

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
          CopyPart(to, value + k, n * sizeof(Storage), tiles.bytes);
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

// out = x, broadcast to `dims`, with the selected elements replaced by those of
// value, in order. A null x or value is read as zeros. out may be x, and may
// overlap mask and value. Error messages begin with `op`.
template <typename Storage>
void ReplaceSelected(const CPUContext& dev_ctx,
                     const char* op,
                     const DDim& dims,
                     const DenseTensor* x,
                     const DenseTensor& mask,
                     const DenseTensor* value,
                     void* out_data) {
  auto* out = static_cast<Storage*>(out_data);
  const int64_t numel = common::product(dims);
  if (numel == 0) return;
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(Storage));
  std::unique_ptr<DenseTensor> mask_copy;
  std::unique_ptr<DenseTensor> value_copy;
  const BroadcastOperand<Storage> x_view =
      x ? ViewOf<Storage>(*x, dims) : ZeroView<Storage>(dims);
  const MaskView mask_view{
      CopyIfOverlapping<uint8_t>(dev_ctx, mask, out, bytes, &mask_copy),
      {dims, mask.dims()}};
  if (value == nullptr) {
    const auto zeros = ZeroView<Storage>(dims);
    BroadcastSelect<Storage>(out, numel, x_view, mask_view, zeros);
    return;
  }
  const int64_t num_selected = MaskedScatterCpu<Storage>(
      out,
      numel,
      x_view,
      mask_view,
      CopyIfOverlapping<Storage>(dev_ctx, *value, out, bytes, &value_copy),
      value->numel());
  CheckEnoughValues(op, num_selected, value->numel());
}

// x_grad = out_grad with zeros for the selected elements, summed to its shape.
// value_grad = the selected elements, then zeros. Either may be null; x_grad
// may have the memory of out_grad.
template <typename T>
void MaskedScatterGrad(const CPUContext& dev_ctx,
                       const DenseTensor& out_grad,
                       const DenseTensor& mask,
                       DenseTensor* x_grad,
                       DenseTensor* value_grad) {
  using Storage = StorageType<T>;
  const DDim& dims = out_grad.dims();
  const int64_t numel = out_grad.numel();
  if (value_grad && numel == 0) {
    AllocZeros<T>(dev_ctx, value_grad);
  } else if (value_grad) {
    // A single pass computes both gradients if x has the shape of out.
    const bool one_pass = x_grad && x_grad->numel() == numel;
    T* x_data = one_pass ? dev_ctx.template Alloc<T>(x_grad) : nullptr;
    T* value_data = dev_ctx.template Alloc<T>(value_grad);
    const int64_t num_selected = MaskedScatterGradCpu<Storage>(
        static_cast<const Storage*>(out_grad.data()),
        numel,
        ViewOf<uint8_t>(mask, dims),
        reinterpret_cast<Storage*>(x_data),
        reinterpret_cast<Storage*>(value_data),
        value_grad->numel());
    // In a static graph, the mask may differ from that of the forward operator.
    CheckEnoughValues("masked_scatter_grad", num_selected, value_grad->numel());
    if (one_pass) return;
  }
  MaskedGrad<T>(dev_ctx, out_grad, dims, mask, /*mask_value=*/false, x_grad);
}

}  // namespace phi::funcs::scatter_ops
