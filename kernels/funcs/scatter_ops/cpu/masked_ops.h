// Building blocks of the CPU kernels of masked_fill and masked_scatter: select
// by a broadcast mask, and masked sums of gradients. Elementwise loops are
// branchless in the mask, so that compilers vectorize them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// Masks are read as bytes: a mask from outside Paddle may hold values other
// than 0 and 1, and reading these as bool is undefined behavior.
inline bool IsTrue(const uint8_t* mask, int64_t i) { return mask[i] != 0; }

template <typename Storage>
inline Storage Select(bool condition, Storage a, Storage b) {
  return condition ? a : b;
}

inline Bytes16 Select(bool condition, const Bytes16& a, const Bytes16& b) {
  const uint64_t bits = -static_cast<uint64_t>(condition);
  return {(a.low & bits) | (b.low & ~bits), (a.high & bits) | (b.high & ~bits)};
}

// out[i] = mask[i] ? value[i] : x[i]. out may be x or value.
template <typename Storage>
inline void SelectEach(Storage* out,
                       const Storage* x,
                       const uint8_t* mask,
                       const Storage* value,
                       int64_t n) {
  // No loop-carried dependence, even if out is x or value.
  SCATTER_OPS_IVDEP
  for (int64_t i = 0; i < n; ++i) {
    // Both are loaded: compilers do not vectorize conditional loads.
    const Storage a = value[i];
    const Storage b = x[i];
    out[i] = Select(IsTrue(mask, i), a, b);
  }
}

// Elements per block of SelectEach: three operands fit into the L1 cache.
template <typename Storage>
constexpr int64_t kSelectBlock = std::max<int64_t>(512, 4096 / sizeof(Storage));
// Elements per block of loops over the mask and one operand.
constexpr int64_t kMaskBlock = 4096;

template <typename Storage>
struct BroadcastOperand {
  const Storage* data;
  BroadcastView view;
};

using MaskView = BroadcastOperand<uint8_t>;

template <typename Storage>
BroadcastOperand<Storage> ViewOf(const DenseTensor& tensor, const DDim& dims) {
  return {static_cast<const Storage*>(tensor.data()), {dims, tensor.dims()}};
}

// Writes tile i of an output run by run if the mask is broadcast along at least
// kMinRunLength elements and x is not broadcast; else returns false.
// write_selected(to, n) writes the runs where the mask is True, in order. Other
// runs are copied from x, or skipped if out is x.
template <typename Storage, typename F>
bool WriteRuns(Storage* out,
               const BroadcastOperand<Storage>& x,
               const MaskView& mask,
               const Tiles& tiles,
               int64_t i,
               const F& write_selected) {
  constexpr int64_t kMinRunLength = 256;
  const int inner = mask.view.rank() - 1;
  if (mask.view.stride(inner) != 0 || mask.view.dim(inner) < kMinRunLength ||
      !x.view.is_flat()) {
    return false;
  }
  int64_t at = tiles.begin(i);
  mask.view.ForEachRun(
      at, tiles.end(i), [&](int64_t offset, int64_t, int64_t n) {
        if (IsTrue(mask.data, offset)) {
          write_selected(out + at, n);
        } else if (out != x.data) {
          CopyPart(out + at, x.data + at, n * sizeof(Storage), tiles.bytes);
        }
        at += n;
      });
  return true;
}

// Sums a gradient to the shape of a broadcast operand, the target: each element
// of `in` whose mask equals `mask_value` is added to the element it was
// broadcast from. `in` must not be empty. The order of additions depends on
// shapes only, so results are bitwise identical for every number of threads.
template <typename T>
struct MaskedSum {
  using Sum = typename BroadcastAccTypeOf<T>::type;
  using Storage = StorageType<T>;

  const Storage* in;
  int64_t numel;
  MaskView mask;
  bool mask_value;
  BroadcastView view;  // maps elements of `in` to those of the target
  int64_t target_numel;

  void Run(T* target) const {
    if (view.stride(0) != 0) {
      SumPerRow(target);
    } else {
      SumOverRows(target);
    }
  }

 private:
  // The outermost axis is not reduced: its rows have their own target elements
  // and are summed in parallel.
  void SumPerRow(T* target) const {
    const int64_t num_rows = view.dim(0);
    const int64_t row_numel = numel / num_rows;
    const int64_t target_row_numel = view.stride(0);
    const int64_t chunk_rows = std::max<int64_t>(1, kMaskBlock / row_numel);
    const int64_t num_chunks = (num_rows + chunk_rows - 1) / chunk_rows;
    ParallelFor(num_chunks, numel * sizeof(T), [&](int64_t c) {
      const int64_t begin = c * chunk_rows;
      const int64_t end = std::min(num_rows, begin + chunk_rows);
      const int64_t first = begin * target_row_numel;
      std::vector<Sum> sums((end - begin) * target_row_numel, Sum{});
      Accumulate(begin * row_numel, end * row_numel, first, sums.data());
      Round(sums.data(), sums.size(), target + first);
    });
  }

  // The outermost axis is reduced: parts of it are summed in parallel, then the
  // partial sums are added in order.
  void SumOverRows(T* target) const {
    const int64_t num_rows = view.dim(0);
    const int64_t row_numel = numel / num_rows;
    // More than one part only if all partial sums together have at most 1/16 of
    // the elements of `in`.
    constexpr int64_t kMinPartToTargetRatio = 16;
    constexpr int64_t kMinPartElements = 16 << 10;
    constexpr int64_t kMaxParts = 64;
    const int64_t max_parts_by_memory =
        std::max<int64_t>(1, numel / target_numel / kMinPartToTargetRatio);
    const int64_t max_parts_by_size =
        (numel + kMinPartElements - 1) / kMinPartElements;
    const int64_t num_parts =
        std::min({num_rows, max_parts_by_memory, max_parts_by_size, kMaxParts});
    if (num_parts == 1 && view.rank() == 2) return SumColumns(target);
    std::vector<Sum> sums(num_parts * target_numel, Sum{});
    ParallelFor(num_parts, numel * sizeof(T), [&](int64_t p) {
      Accumulate(num_rows * p / num_parts * row_numel,
                 num_rows * (p + 1) / num_parts * row_numel,
                 /*first=*/0,
                 sums.data() + p * target_numel);
    });
    for (int64_t p = 1; p < num_parts; ++p) {
      const Sum* partial_sums = sums.data() + p * target_numel;
      for (int64_t i = 0; i < target_numel; ++i) sums[i] += partial_sums[i];
    }
    Round(sums.data(), target_numel, target);
  }

  // Sums all rows into one: threads partition the columns.
  void SumColumns(T* target) const {
    const Tiles tiles(target_numel, view.dim(0) * sizeof(T));
    ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
      Sum sums[kMaskBlock];
      for (int64_t b = tiles.begin(i); b < tiles.end(i); b += kMaskBlock) {
        const int64_t n = std::min(kMaskBlock, tiles.end(i) - b);
        std::fill_n(sums, n, Sum{});
        for (int64_t r = 0; r < view.dim(0); ++r) {
          Accumulate(r * target_numel + b, r * target_numel + b + n, b, sums);
        }
        Round(sums, n, target + b);
      }
    });
  }

  static void Round(const Sum* sums, int64_t n, T* target) {
    for (int64_t i = 0; i < n; ++i) target[i] = static_cast<T>(sums[i]);
  }

  // Accumulates elements [begin, end) into `sums`, which begins at element
  // `first` of the target.
  void Accumulate(int64_t begin, int64_t end, int64_t first, Sum* sums) const {
    CallVectorizedIf<kIsHalf<T>>([&] {
      uint8_t mask_scratch[kMaskBlock];
      Storage values[kMaskBlock];
      for (int64_t b = begin; b < end; b += kMaskBlock) {
        const int64_t n = std::min(kMaskBlock, end - b);
        SelectOrZero(
            b, mask.view.Read(mask.data, b, n, mask_scratch), n, values);
        const Storage* next = values;
        view.ForEachRun(
            b, b + n, [&](int64_t offset, int64_t stride, int64_t length) {
              AccumulateRun(next, length, stride, sums + (offset - first));
              next += length;
            });
      }
    });
  }

  // Copies elements, with zeros where the mask is not `mask_value`.
  void SelectOrZero(int64_t b,
                    const uint8_t* mask_block,
                    int64_t n,
                    Storage* to) const {
    static constexpr Storage kZeros[kMaskBlock] = {};
    const Storage* x = mask_value ? kZeros : in + b;
    const Storage* value = mask_value ? in + b : kZeros;
    CallVectorized([&] { SelectEach(to, x, mask_block, value, n); });
  }

  static Sum Widen(Storage bits) { return WidenTo<Sum>(BitCast<T>(bits)); }

  static void AccumulateRun(const Storage* from,
                            int64_t n,
                            int64_t stride,
                            Sum* sums) {
    if (stride == 0) {
      sums[0] += SumRun(from, n);
    } else {
      for (int64_t i = 0; i < n; ++i) sums[i] += Widen(from[i]);
    }
  }

  // Four independent accumulators hide the latency of the add.
  static Sum SumRun(const Storage* from, int64_t n) {
    Sum s[4] = {};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int j = 0; j < 4; ++j) s[j] += Widen(from[i + j]);
    }
    for (; i < n; ++i) s[0] += Widen(from[i]);
    return (s[0] + s[1]) + (s[2] + s[3]);
  }
};

// out = mask ? value : x with broadcasting. out may be the data of x or of
// value.
template <typename Storage>
void BroadcastSelect(Storage* out,
                     int64_t numel,
                     const BroadcastOperand<Storage>& x,
                     const MaskView& mask,
                     const BroadcastOperand<Storage>& value) {
  const Tiles tiles(numel, sizeof(Storage));
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    uint8_t mask_scratch[kSelectBlock<Storage>];
    Storage x_scratch[kSelectBlock<Storage>];
    Storage value_scratch[kSelectBlock<Storage>];
    const bool is_constant = value.view.is_constant();
    const int64_t block = std::min(kSelectBlock<Storage>, numel);
    if (is_constant) std::fill_n(value_scratch, block, *value.data);
    const auto fill = [&](Storage* to, int64_t n) {
      for (int64_t b = 0; b < n; b += kSelectBlock<Storage>) {
        const int64_t length = std::min(kSelectBlock<Storage>, n - b);
        CopyPart(to + b, value_scratch, length * sizeof(Storage), tiles.bytes);
      }
    };
    if (is_constant && WriteRuns(out, x, mask, tiles, i, fill)) return;
    for (int64_t b = tiles.begin(i); b < tiles.end(i); b += block) {
      const int64_t n = std::min(block, tiles.end(i) - b);
      const Storage* x_block = x.view.Read(x.data, b, n, x_scratch);
      const uint8_t* mask_block = mask.view.Read(mask.data, b, n, mask_scratch);
      const Storage* value_block =
          is_constant ? value_scratch
                      : value.view.Read(value.data, b, n, value_scratch);
      CallVectorized(
          [&] { SelectEach(out + b, x_block, mask_block, value_block, n); });
    }
  });
}

template <typename Storage>
BroadcastOperand<Storage> ZeroView(const DDim& dims) {
  static constexpr Storage kZero{};
  return {&kZero, {dims, common::make_ddim({})}};
}

// grad = out_grad where the mask equals `mask_value`, else zero, summed to the
// shape of grad. out_grad has shape `dims`. grad may share the memory of
// out_grad but must be another object.
template <typename T, typename Context>
void MaskedGrad(const Context& dev_ctx,
                const DenseTensor& out_grad,
                const DDim& dims,
                const DenseTensor& mask,
                bool mask_value,
                DenseTensor* grad) {
  using Storage = StorageType<T>;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  const bool is_broadcast = grad->numel() != numel;
  if (is_broadcast) grad->clear();  // may share the memory of out_grad
  if (numel == 0) {
    AllocZeros<T>(dev_ctx, grad);
    return;
  }
  T* data = dev_ctx.template Alloc<T>(grad);
  const auto mask_view = ViewOf<uint8_t>(mask, dims);
  if (is_broadcast) {
    // An operand of one element may have a higher rank than out_grad.
    const DDim target =
        grad->numel() == 1 ? common::make_ddim({}) : grad->dims();
    MaskedSum<T>{static_cast<const Storage*>(out_grad.data()),
                 numel,
                 mask_view,
                 mask_value,
                 {dims, target},
                 grad->numel()}
        .Run(data);
    return;
  }
  auto* elements = reinterpret_cast<Storage*>(data);
  const BroadcastOperand<Storage> grads{
      static_cast<const Storage*>(out_grad.data()), {dims, dims}};
  const auto zeros = ZeroView<Storage>(dims);
  BroadcastSelect<Storage>(elements,
                           numel,
                           mask_value ? zeros : grads,
                           mask_view,
                           mask_value ? grads : zeros);
}

}  // namespace phi::funcs::scatter_ops
