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

// What the CPU kernels of the masked operators share: reading a mask along an
// output, selection under a mask, and sums of a gradient under one. The loops
// have no branch on the mask, so that compilers vectorize them.

#pragma once

#include <algorithm>
#include <cstdint>
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
// take(to, n, streams) writes runs under True, in order. Nothing is read there,
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
  const bool streams = UseNonTemporalStores(tiles.bytes, out == x.data);
  int64_t at = tiles.begin(i);
  mask.view.ForEachRun(
      at, tiles.end(i), [&](int64_t offset, int64_t, int64_t n) {
        if (IsTrue(mask.data, offset)) {
          take(out + at, n, streams);
        } else if (out != x.data) {
          StreamCopy(out + at, x.data + at, n * sizeof(Word), streams);
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

  const Word* in;
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
      Add(first * row, last * row, first * width, sums.data());
      Round(sums.data(), sums.size(), target + first * width);
    });
  }

  // The first axis is summed over: parts of it are summed apart, then added up
  // in order. A big target leaves memory for fewer parts.
  void SumParts(T* target) const {
    const int64_t rows = view.dim(0);
    const int64_t row = numel / rows;
    const int64_t room = std::max<int64_t>(1, numel / target_numel / 16);
    const int64_t work = (numel + kPartElements - 1) / kPartElements;
    const int64_t parts = std::min({rows, room, work, kMaxParts});
    if (parts == 1 && view.rank() == 2) return SumColumns(target);
    std::vector<Sum> sums(parts * target_numel, Sum{});
    ParallelFor(parts, numel * sizeof(T), [&](int64_t p) {
      Add(rows * p / parts * row,
          rows * (p + 1) / parts * row,
          /*first=*/0,
          sums.data() + p * target_numel);
    });
    for (int64_t p = 1; p < parts; ++p) {
      const Sum* part = sums.data() + p * target_numel;
      for (int64_t i = 0; i < target_numel; ++i) sums[i] += part[i];
    }
    Round(sums.data(), target_numel, target);
  }

  // A few long rows are summed into one: each thread has columns of its own.
  void SumColumns(T* target) const {
    const Tiles tiles(target_numel, view.dim(0) * sizeof(T));
    ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
      Sum sums[kBlock];
      for (int64_t b = tiles.begin(i); b < tiles.end(i); b += kBlock) {
        const int64_t n = std::min(kBlock, tiles.end(i) - b);
        std::fill_n(sums, n, Sum{});
        for (int64_t r = 0; r < view.dim(0); ++r) {
          Add(r * target_numel + b, r * target_numel + b + n, b, sums);
        }
        Round(sums, n, target + b);
      }
    });
  }

  static void Round(const Sum* sums, int64_t n, T* target) {
    for (int64_t i = 0; i < n; ++i) target[i] = static_cast<T>(sums[i]);
  }

  // Adds elements [begin, end) into the sums of the target's elements from
  // `first` on.
  void Add(int64_t begin, int64_t end, int64_t first, Sum* sums) const {
    CallVectorisedForHalf<T>([&] {
      uint8_t mask_scratch[kBlock];
      Word values[kBlock];
      for (int64_t b = begin; b < end; b += kBlock) {
        const int64_t n = std::min(kBlock, end - b);
        TakeWanted(b, mask.view.Read(mask.data, b, n, mask_scratch), n, values);
        const Word* next = values;
        view.ForEachRun(
            b, b + n, [&](int64_t offset, int64_t stride, int64_t length) {
              AddRun(next, length, stride, sums + (offset - first));
              next += length;
            });
      }
    });
  }

  // Zeros where the mask is not `wanted`.
  void TakeWanted(int64_t b, const uint8_t* bytes, int64_t n, Word* to) const {
    static constexpr Word kZeros[kBlock] = {};
    const Word* kept = wanted ? kZeros : in + b;
    const Word* taken = wanted ? in + b : kZeros;
    CallVectorised([&] { SelectEach(to, kept, bytes, taken, n); });
  }

  static Sum ValueOf(Word word) { return WidenedTo<Sum>(SameBits<T>(word)); }

  static void AddRun(const Word* from, int64_t n, int64_t stride, Sum* sums) {
    if (stride == 0) {
      sums[0] += SumRun(from, n);
    } else {
      for (int64_t i = 0; i < n; ++i) sums[i] += ValueOf(from[i]);
    }
  }

  // Four chains of additions, since one would wait for itself.
  static Sum SumRun(const Word* from, int64_t n) {
    Sum s[4] = {};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
      for (int j = 0; j < 4; ++j) s[j] += ValueOf(from[i + j]);
    }
    for (; i < n; ++i) s[0] += ValueOf(from[i]);
    return (s[0] + s[1]) + (s[2] + s[3]);
  }

  static constexpr int64_t kPartElements = 16 << 10;
  static constexpr int64_t kMaxParts = 64;
};

// out = mask ? value : x, where each operand broadcasts on its own. out may be
// the data of x or of value.
template <typename Word>
void SelectCpu(Word* out,
               int64_t numel,
               const WordView<Word>& x,
               const MaskView& mask,
               const WordView<Word>& value) {
  const Tiles tiles(numel, sizeof(Word));
  const bool in_place = out == x.data || out == value.data;
  const bool streams = UseNonTemporalStores(tiles.bytes, in_place);
  ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
    uint8_t mask_scratch[kNearBlock<Word>];
    Word x_scratch[kNearBlock<Word>];
    Word value_scratch[kNearBlock<Word>];
    const bool constant = value.view.is_constant();
    const int64_t most = std::min(kNearBlock<Word>, numel);
    if (constant) std::fill_n(value_scratch, most, *value.data);
    const auto fill = [&](Word* to, int64_t n, bool streams) {
      for (int64_t b = 0; b < n; b += kNearBlock<Word>) {
        const int64_t part = std::min(kNearBlock<Word>, n - b);
        StreamCopy(to + b, value_scratch, part * sizeof(Word), streams);
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
    ForEachBlock(
        out, tiles.begin(i), tiles.end(i), kNearBlock<Word>, streams, block);
  });
}

// A zero that broadcasts to any shape.
template <typename Word>
WordView<Word> ZeroView(const DDim& dims) {
  static constexpr Word kZero{};
  return {&kZero, {dims, common::make_ddim({})}};
}

// grad = the elements of out_grad, of shape dims, whose mask is `wanted`, zero
// elsewhere, summed to the shape of grad. grad may share out_grad's memory, but
// not the object.
template <typename T, typename Context>
void MaskedGrad(const Context& dev_ctx,
                const DenseTensor& out_grad,
                const DDim& dims,
                const DenseTensor& mask,
                bool wanted,
                DenseTensor* grad) {
  using Word = WordOf<T>;
  if (grad == nullptr) return;
  const int64_t numel = common::product(dims);
  // An operand that is not repeated has the elements of out in its order.
  const bool summed = grad->numel() != numel;
  if (summed) grad->clear();  // a sum cannot be written over what it reads
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
    MaskedSum<T>{static_cast<const Word*>(out_grad.data()),
                 numel,
                 mask_view,
                 wanted,
                 {dims, target},
                 grad->numel()}
        .Run(data);
    return;
  }
  auto* words = reinterpret_cast<Word*>(data);
  const WordView<Word> taken{static_cast<const Word*>(out_grad.data()),
                             {dims, dims}};
  const auto zeros = ZeroView<Word>(dims);
  SelectCpu<Word>(
      words, numel, wanted ? zeros : taken, mask_view, wanted ? taken : zeros);
}

}  // namespace phi::funcs::scatter_ops
