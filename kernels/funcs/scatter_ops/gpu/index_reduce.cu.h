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

// index_scatter and index_reduce on the GPU. The rows that the index names are
// reduced in the permutation of the index, after a stable sort and without
// floating-point atomics: results are the same in every run.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index.cu.h"

namespace phi::funcs::scatter_ops {

// A segment is reduced in chunks, which end at multiples of kChunk of the
// sorted entries: a thread reduces each chunk but the first one of a segment,
// then one thread reduces the first chunk and combines the others in
// permutation. Where a segment has several chunks, rounding may differ from the
// CPU's.
constexpr int64_t kChunk = 4096;

template <typename T, IndexReduce kReduce>
struct SegmentReducer {
  using Sum = typename ReduceType<T, kReduce>::type;
  static constexpr bool kIsMean = kReduce == IndexReduce::kMean;
  // A sum without x starts from zero, which turns a lone -0.0 into 0.0.
  static constexpr bool kFromZero = kIsMean || kReduce == IndexReduce::kSum;

  struct Chunk {
    Sum sum;
    int64_t length;
  };

  IndexedRows indexed;
  Segments segments;
  AxisLayout in_chunks;
  Chunk* chunks;
  const T* updates;
  bool include_self;
  T* out;

  __device__ Sum Update(const AxisPlace& at, int64_t p) const {
    const int64_t entry = segments.entries[p];
    return static_cast<Sum>(updates[indexed.in_updates.Offset(at, entry)]);
  }

  // Reduces the entries of `row` from p to the end of the chunk of `begin`.
  // Returns the end.
  __device__ int64_t Accumulate(const AxisPlace& at,
                                int64_t begin,
                                int64_t p,
                                Sum* sum) const {
    const int64_t row = segments.rows[begin];
    const int64_t end = (begin / kChunk + 1) * kChunk;
    for (; p < end && segments.Has(p, row); ++p) {
      *sum = Combine<kReduce>(*sum, Update(at, p));
    }
    return p;
  }

  // Of element i of the chunks, if the segment begins in an earlier chunk.
  __device__ void ReduceChunk(int64_t i) const {
    const AxisPlace at = in_chunks.Locate(i);
    const int64_t begin = at.row * kChunk;
    if (segments.IsHead(begin)) return;
    Sum sum = Update(at, begin);
    const int64_t end = Accumulate(at, begin, begin + 1, &sum);
    chunks[i] = {sum, end - begin};
  }

  // Of element i of the updates in sorted permutation, if a segment begins
  // there.
  __device__ void ReduceSegment(int64_t i) const {
    const AxisPlace at = indexed.in_updates.Locate(i);
    const int64_t begin = at.row;
    if (!segments.IsHead(begin)) return;
    const int64_t row = segments.rows[begin];
    T* result = out + indexed.in_x.Offset(at, row);
    int64_t p = begin;
    Sum sum{};
    if (include_self) {
      sum = static_cast<Sum>(*result);
    } else if (!kFromZero) {
      sum = Update(at, p++);
    }
    p = Accumulate(at, begin, p, &sum);
    while (p % kChunk == 0 && segments.Has(p, row)) {
      const Chunk& chunk = chunks[in_chunks.Offset(at, p / kChunk)];
      sum = Combine<kReduce>(sum, chunk.sum);
      p += chunk.length;
    }
    if (kIsMean) sum = DivideByCount(sum, p - begin + include_self);
    *result = static_cast<T>(sum);
  }
};

// Reduces the updates of each segment into out, which holds x.
template <typename T, IndexReduce kReduce>
void ReduceSegments(const GPUContext& dev_ctx,
                    const IndexReduceCall& call,
                    const AxisView& view,
                    const IndexedRows& indexed,
                    const T* updates,
                    T* out) {
  using Reducer = SegmentReducer<T, kReduce>;
  DenseTensor sorted;
  const Segments segments = SortByRow(dev_ctx, call.op, indexed, &sorted);
  const int64_t rows = (view.length + kChunk - 1) / kChunk;
  const int64_t num_chunks = rows > 1 ? view.outer * rows * view.inner : 0;
  DenseTensor memory;
  const Reducer reducer{
      indexed,
      segments,
      AxisLayout(rows, view.inner),
      AllocWorkspace<typename Reducer::Chunk>(dev_ctx, num_chunks, &memory),
      updates,
      call.include_self,
      out};
  ForEach(dev_ctx, num_chunks, [=] __device__(int64_t i) {
    reducer.ReduceChunk(i);
  });
  ForEach(dev_ctx, indexed.num_updates, [=] __device__(int64_t i) {
    reducer.ReduceSegment(i);
  });
}

// Copies the last update of each row into out, which holds x.
template <typename T>
void AssignLast(const GPUContext& dev_ctx,
                const IndexedRows& indexed,
                const T* updates,
                T* out) {
  DenseTensor memory;
  const RowCount* last =
      GatherRowInfo(dev_ctx, RowInfo::kLastEntry, indexed, &memory);
  ForEach(dev_ctx, indexed.num_updates, [=] __device__(int64_t i) {
    const AxisPlace at = indexed.in_updates.Locate(i);
    const bool is_last = last[indexed.rows[at.row]] == at.row + RowCount{1};
    if (is_last) out[indexed.InX(at)] = updates[i];
  });
}

// The kernel of an operator that has the reductions of the set `Reduces`.
template <typename T, typename Reduces>
void IndexReduceInto(const GPUContext& dev_ctx,
                     Reduces reduces,
                     const IndexReduceCall& call,
                     const DenseTensor& x,
                     const DenseTensor& index,
                     const DenseTensor& updates,
                     DenseTensor* out) {
  const AxisView view(x, index, call.axis);
  const T* x_data = DataOrNull<T>(x);
  T* out_data = dev_ctx.template Alloc<T>(out);
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  DenseTensor memory;
  const IndexedRows indexed = ReadIndex(dev_ctx, call.op, index, view, &memory);
  std::optional<DenseTensor> copy;
  const T* update_data =
      CopyIfOverlapping<T>(dev_ctx, updates, out_data, bytes, &copy);
  CopyBytes(dev_ctx, x_data, bytes, out_data);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr IndexReduce kReduce = decltype(constant)::value;
    if constexpr (kReduce == IndexReduce::kAssign) {
      AssignLast(dev_ctx, indexed, update_data, out_data);
    } else {
      ReduceSegments<T, kReduce>(
          dev_ctx, call, view, indexed, update_data, out_data);
    }
  });
}

}  // namespace phi::funcs::scatter_ops
