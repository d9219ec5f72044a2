// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

// Masks on the CPU: how they are read along an output, choice and sum under
// one, for contiguous blocks that fit into the L1 cache. The loops are plain
// and have no branch on the mask, so that a compiler makes vectors of them.
// masked_fill and its gradient are such a choice and such sums.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// A mask made elsewhere may hold bytes other than 0 and 1. To read them as bool
// is undefined, so that masks are bytes everywhere.
inline bool IsTrue(const uint8_t* mask, int64_t i) { return mask[i] != 0; }

template <typename Word>
inline Word Choose(bool first, Word one, Word other) {
  return first ? one : other;
}

inline Bytes16 Choose(bool first, const Bytes16& one, const Bytes16& other) {
  const uint64_t all = -static_cast<uint64_t>(first);
  return {(one.low & all) | (other.low & ~all),
          (one.high & all) | (other.high & ~all)};
}

// out[i] = mask[i] ? value[i] : x[i]. out may be x or value.
template <typename Word>
inline void SelectEach(Word* out,
                       const Word* x,
                       const uint8_t* mask,
                       const Word* value,
                       int64_t n) {
  SCATTER_OPS_IVDEP  // also where out is x or value
      for (int64_t i = 0; i < n; ++i) {
    // Both are read: of reads that may be left out a compiler makes no vectors.
    const Word taken = value[i];
    const Word kept = x[i];
    out[i] = Choose(IsTrue(mask, i), taken, kept);
  }
}

// What a choice takes at a time: three operands fit into the L1 cache.
template <typename Word>
constexpr int64_t kNearBlock = std::max<int64_t>(512, 4096 / sizeof(Word));
// The same of what reads the mask and one operand.
constexpr int64_t kBlock = 4096;

// Calls f(to, b, n) for blocks [b, b + n) of tile i of an output in order, of
// at most `most` elements, which f writes to `to`. `in` is what it is made
// from, which may be `out`; where out is null, so is `to`.
template <typename Word, typename F>
void WriteBlocks(Word* out,
                 const Word* in,
                 const Tiles& tiles,
                 int64_t i,
                 int64_t most,
                 const F& f) {
  const int64_t end = tiles.end(i);
  const TileStores stores(StoresInto(out, in, tiles.bytes));
  if (stores.past_caches() && out != nullptr) {
    return StoreBlocks(stores, out, tiles.begin(i), end, most, f);
  }
  for (int64_t b = tiles.begin(i); b < end; b += most) {
    f(out == nullptr ? nullptr : out + b, b, std::min(most, end - b));
  }
}

// One operand of a masked kernel, read along the output.
template <typename Word>
struct WordView {
  const Word* data;
  BroadcastView view;
};

using MaskView = WordView<uint8_t>;

template <typename Word>
WordView<Word> ViewOf(const DenseTensor& tensor, const DDim& dims) {
  return {static_cast<const Word*>(tensor.data()), {dims, tensor.dims()}};
}

// Writes tile i of an output if x lies like it and the mask repeats each of its
// elements over a run that is long enough to be moved as a block; else false.
// take(stores, to, n) writes runs under True, in order. Nothing is read there,
// and nothing is done elsewhere if out is x.
template <typename Word, typename F>
bool WriteRuns(Word* out,
               const WordView<Word>& x,
               const MaskView& mask,
               const Tiles& tiles,
               int64_t i,
               const F& take) {
  const int last = mask.view.rank() - 1;
  const bool repeats = mask.view.stride(last) == 0;
  if (!repeats || mask.view.dim(last) < 256 || !x.view.is_flat()) return false;
  const TileStores stores(StoresInto(out, x.data, tiles.bytes));
  int64_t at = tiles.begin(i);
  mask.view.ForEachRun(
      at, tiles.end(i), [&](int64_t offset, int64_t, int64_t n) {
        if (IsTrue(mask.data, offset)) {
          take(stores, out + at, n);
        } else if (out != x.data) {
          stores.Copy(out + at, x.data + at, n * sizeof(Word));
        }
        at += n;
      });
  return true;
}

// Sums a gradient down to the shape of an operand that was broadcast: elements
// of `in` whose mask is `wanted` go into the element of the target that they
// were broadcast from. There must be an element. The order of the additions
// depends on the shapes alone, so the result is the same for every number of
// threads.
template <typename T>
struct MaskedSum {
  using Sum = typename BroadcastAccTypeOf<T>::type;
  using Word = WordOf<T>;

  const T* in;
  int64_t numel;
  MaskView mask;
  bool wanted;
  BroadcastView view;  // of the target along `in`
  int64_t target_numel;

  void Run(T* target) const {
    if (view.stride(0) != 0) {
      SumKeptRows(target);
    } else {
      SumParts(target);
    }
  }

 private:
  // The first axis is kept: its rows have targets of their own.
  void SumKeptRows(T* target) const {
    const int64_t rows = view.dim(0);
    const int64_t width = view.stride(0);
    const int64_t row = numel / rows;
    const int64_t chunk = std::max<int64_t>(1, kBlock / std::max(row, width));
    const int64_t chunks = (rows + chunk - 1) / chunk;
    ParallelFor(chunks, numel * sizeof(T), [&](int64_t c) {
      const int64_t first = c * chunk;
      const int64_t last = std::min(rows, first + chunk);
      std::vector<Sum> sums((last - first) * width, Sum{});
      AddRows(first, last, sums.data() - first * width);
      Round(sums.data(), sums.size(), target + first * width);
    });
  }

  // The first axis is summed over: parts of it are summed apart, then added up
  // in order. A big target leaves memory for fewer parts.
  void SumParts(T* target) const {
    const int64_t rows = view.dim(0);
    const int64_t room = std::max<int64_t>(1, numel / target_numel / 16);
    const int64_t work = (numel + kPartElements - 1) / kPartElements;
    const int64_t parts = std::min({rows, room, work, kMaxParts});
    std::vector<Sum> sums(parts * target_numel, Sum{});
    ParallelFor(parts, numel * sizeof(T), [&](int64_t p) {
      AddRows(rows * p / parts,
              rows * (p + 1) / parts,
              sums.data() + p * target_numel);
    });
    for (int64_t p = 1; p < parts; ++p) {
      const Sum* part = sums.data() + p * target_numel;
      for (int64_t i = 0; i < target_numel; ++i) sums[i] += part[i];
    }
    Round(sums.data(), target_numel, target);
  }

  static void Round(const Sum* sums, int64_t n, T* target) {
    for (int64_t i = 0; i < n; ++i) target[i] = static_cast<T>(sums[i]);
  }

  // Adds rows [first, last) of the first axis into sums, indexed like the
  // target.
  void AddRows(int64_t first, int64_t last, Sum* sums) const {
    const int64_t row = numel / view.dim(0);
    CallVectorisedForHalf<T>([&] { Add(first * row, last * row, sums); });
  }

  // The same of elements [begin, end).
  void Add(int64_t begin, int64_t end, Sum* sums) const {
    uint8_t mask_scratch[kBlock];
    T values[kBlock];
    for (int64_t b = begin; b < end; b += kBlock) {
      const int64_t n = std::min(kBlock, end - b);
      TakeWanted(
          in + b, mask.view.Read(mask.data, b, n, mask_scratch), n, values);
      const T* next = values;
      view.ForEachRun(
          b, b + n, [&](int64_t offset, int64_t stride, int64_t length) {
            AddRun(next, length, stride, sums + offset);
            next += length;
          });
    }
  }

  // Zeros where the mask is not `wanted`.
  void TakeWanted(const T* from, const uint8_t* bytes, int64_t n, T* to) const {
    static constexpr Word kZeros[kBlock] = {};
    const auto* words = reinterpret_cast<const Word*>(from);
    auto* out = reinterpret_cast<Word*>(to);
    const Word* kept = wanted ? kZeros : words;
    const Word* taken = wanted ? words : kZeros;
    CallVectorised([&] { SelectEach(out, kept, bytes, taken, n); });
  }

  static void AddRun(const T* from, int64_t n, int64_t stride, Sum* sums) {
    if (stride == 0) {
      sums[0] += SumRun(from, n);
    } else {
      for (int64_t i = 0; i < n; ++i) sums[i] += WidenedTo<Sum>(from[i]);
    }
  }

  // Four chains of additions, since one would wait for itself.
  static Sum SumRun(const T* from, int64_t n) {
    Sum s[4] = {};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int j = 0; j < 4; ++j) s[j] += WidenedTo<Sum>(from[i + j]);
    }
    for (; i < n; ++i) s[0] += WidenedTo<Sum>(from[i]);
    return (s[0] + s[1]) + (s[2] + s[3]);
  }

  static constexpr int64_t kPartElements = 16 << 10;
  static constexpr int64_t kMaxParts = 64;
};

// out = mask ? value : x, where each operand broadcasts on its own. out may be
// the data of x or of value.
template <typename Word>
void MaskedFillCpu(Word* out,
                   int64_t numel,
                   const WordView<Word>& x,
                   const MaskView& mask,
                   const WordView<Word>& value) {
  const Word* in = out == value.data ? value.data : x.data;
  const Tiles tiles(numel, sizeof(Word));
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    uint8_t mask_scratch[kNearBlock<Word>];
    Word x_scratch[kNearBlock<Word>];
    Word value_scratch[kNearBlock<Word>];
    const bool constant = value.view.is_constant();
    const int64_t most = std::min(kNearBlock<Word>, numel);
    if (constant) std::fill_n(value_scratch, most, *value.data);
    const auto fill = [&](const TileStores& stores, Word* to, int64_t n) {
      for (int64_t b = 0; b < n; b += kNearBlock<Word>) {
        const int64_t part = std::min(kNearBlock<Word>, n - b);
        stores.Copy(to + b, value_scratch, part * sizeof(Word));
      }
    };
    if (constant && WriteRuns(out, x, mask, tiles, i, fill)) return;
    const auto block = [&](Word* to, int64_t b, int64_t n) {
      const Word* kept = x.view.Read(x.data, b, n, x_scratch);
      const uint8_t* m = mask.view.Read(mask.data, b, n, mask_scratch);
      const Word* taken =
          constant ? value_scratch
                   : value.view.Read(value.data, b, n, value_scratch);
      CallVectorised([&] { SelectEach(to, kept, m, taken, n); });
    };
    WriteBlocks(out, in, tiles, i, kNearBlock<Word>, block);
  });
}

// A zero that broadcasts to any shape.
template <typename Word>
WordView<Word> ZeroView(const DDim& dims) {
  static constexpr Word kZero{};
  return {&kZero, {dims, common::make_ddim({})}};
}

// x and mask alone decide the shape of the result: value must not enlarge it.
// That of one element is a number, whatever its dims.
inline void CheckFillValue(const DDim& out, const DDim& value) {
  if (common::product(value) == 1) return;
  bool fits = value.size() <= out.size();
  for (int i = 1; fits && i <= value.size(); ++i) {
    const int64_t dim = value[value.size() - i];
    fits = dim == 1 || SameDim(dim, out[out.size() - i]);
  }
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(masked_fill) value must broadcast to the shape that x and mask "
        "broadcast to, [%s], but it has shape [%s].",
        out,
        value));
  }
}

// out = mask ? value : x. out may share the memory of any operand.
template <typename T, typename Context>
void MaskedFillCpuKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  using Word = WordOf<T>;
  const DDim dims = out->dims();
  const int64_t numel = out->numel();
  CheckMaskDtype("masked_fill", mask);
  CheckSameDtype("masked_fill", x, "value", value);
  CheckFillValue(dims, value.dims());
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const auto* x_data = reinterpret_cast<const Word*>(x.data<T>());
  const auto* fill = reinterpret_cast<const Word*>(value.data<T>());
  const WordView<Word> x_view{x_data, {dims, x.dims()}};
  const Word first = *fill;
  auto* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::optional<DenseTensor> mask_copy;
  std::optional<DenseTensor> value_copy;
  const MaskView mask_view{
      ReadApart<uint8_t>(dev_ctx, mask, out_data, out_bytes, &mask_copy),
      {dims, mask.dims()}};
  // One element is a number, whatever its dims.
  const bool one = value.numel() == 1;
  const WordView<Word> value_view{
      one ? &first
          : ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy),
      {dims, one ? common::make_ddim({}) : value.dims()}};
  MaskedFillCpu<Word>(out_data, numel, x_view, mask_view, value_view);
}

// grad = the elements of out_grad, of shape dims, whose mask is `wanted`, zero
// elsewhere, summed to the shape of grad. grad may come in out_grad's memory.
template <typename T, typename Context>
void MaskedGrad(const Context& dev_ctx,
                const KeptGrad& out_grad,
                const DDim& dims,
                const DenseTensor& mask,
                bool wanted,
                DenseTensor* grad) {
  using Word = WordOf<T>;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  // An operand that is not repeated has the elements of out in its order.
  const bool summed = grad->numel() != numel;
  if (summed) out_grad.TakeApart(grad);
  if (numel == 0) {
    AllocZeros<T>(dev_ctx, grad);
    return;
  }
  T* data = dev_ctx.template Alloc<T>(grad);
  const auto mask_view = ViewOf<uint8_t>(mask, dims);
  if (summed) {
    // One element may have more dims than out_grad.
    const DDim target =
        grad->numel() == 1 ? common::make_ddim({}) : grad->dims();
    MaskedSum<T>{out_grad.data<T>(),
                 numel,
                 mask_view,
                 wanted,
                 {dims, target},
                 grad->numel()}
        .Run(data);
    return;
  }
  auto* words = reinterpret_cast<Word*>(data);
  const WordView<Word> taken{out_grad.data<Word>(), {dims, dims}};
  const auto zeros = ZeroView<Word>(dims);
  MaskedFillCpu<Word>(
      words, numel, wanted ? zeros : taken, mask_view, wanted ? taken : zeros);
}

// Either gradient may be null; x_grad may be out_grad.
template <typename T, typename Context>
void MaskedFillGradCpuKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  const DDim dims = BroadcastShape("masked_fill", x.dims(), mask.dims());
  CheckOutGrad("masked_fill_grad", out_grad, dims, x_grad);
  const KeptGrad kept(out_grad);
  SizeGrad(x, x_grad);
  SizeGrad(value, value_grad);
  // value_grad first, since x_grad may be written over out_grad.
  WithWorkingMemory("masked_fill", [&] {
    MaskedGrad<T>(dev_ctx, kept, dims, mask, /*wanted=*/true, value_grad);
    MaskedGrad<T>(dev_ctx, kept, dims, mask, /*wanted=*/false, x_grad);
  });
}

}  // namespace phi::funcs::scatter_ops
