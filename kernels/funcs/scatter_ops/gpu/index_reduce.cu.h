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

// The forward kernels of index_scatter and index_reduce on the GPU, and of the
// double gradient of scatter. Updates are reduced in index order, after a
// stable sort and without floating-point atomics: results are reproducible. out
// may be x and may overlap updates.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index.cu.h"

namespace phi::funcs::scatter_ops {

// A segment is reduced in chunks, which end at multiples of kChunk sorted
// entries. ReduceChunk reduces all chunks of a segment but the first;
// ReduceSegment then reduces the first chunk and combines it with the others in
// order. If a segment has several chunks, rounding may differ from the CPU's.
constexpr int64_t kChunk = 4096;

template <typename T, IndexReduce kReduce>
struct SegmentReducer {
  using Sum = typename ReduceType<T, kReduce>::type;
  static constexpr bool kIsMean = kReduce == IndexReduce::kMean;
  // A sum without x starts from zero, which turns a lone -0.0 into 0.0.
  static constexpr bool kStartsFromZero =
      kIsMean || kReduce == IndexReduce::kSum;

  struct Chunk {
    Sum sum;
    int64_t length;
  };

  IndexedRows indexed;
  Segments segments;
  AxisLayout chunk_layout;
  Chunk* chunks;
  const T* updates;
  bool include_self;
  T* out;

  __device__ Sum Update(const AxisCoords& at, int64_t p) const {
    const int64_t entry = segments.entries[p];
    return static_cast<Sum>(updates[indexed.updates_layout.Offset(at, entry)]);
  }

  // Accumulates the segment that contains `begin`, from entry p to the end of
  // the chunk. Returns the end.
  __device__ int64_t Accumulate(const AxisCoords& at,
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

  // Reduces element i of the chunks, if a segment from an earlier chunk
  // continues in this one.
  __device__ void ReduceChunk(int64_t i) const {
    const AxisCoords at = chunk_layout.Locate(i);
    const int64_t begin = at.row * kChunk;
    if (segments.IsHead(begin)) return;
    Sum sum = Update(at, begin);
    const int64_t end = Accumulate(at, begin, begin + 1, &sum);
    chunks[i] = {sum, end - begin};
  }

  // Reduces the segment that begins at element i of the sorted updates, if any.
  __device__ void ReduceSegment(int64_t i) const {
    const AxisCoords at = indexed.updates_layout.Locate(i);
    const int64_t begin = at.row;
    if (!segments.IsHead(begin)) return;
    const int64_t row = segments.rows[begin];
    T* result = out + indexed.x_layout.Offset(at, row);
    int64_t p = begin;
    Sum sum{};
    if (include_self) {
      sum = static_cast<Sum>(*result);
    } else if (!kStartsFromZero) {
      sum = Update(at, p++);
    }
    p = Accumulate(at, begin, p, &sum);
    while (p % kChunk == 0 && segments.Has(p, row)) {
      const Chunk& chunk = chunks[chunk_layout.Offset(at, p / kChunk)];
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
  const int64_t num_chunks = (view.length + kChunk - 1) / kChunk;
  const int64_t chunks_numel =
      num_chunks > 1 ? view.outer * num_chunks * view.inner : 0;
  DenseTensor memory;
  const Reducer reducer{
      indexed,
      segments,
      AxisLayout(num_chunks, view.inner),
      AllocWorkspace<typename Reducer::Chunk>(dev_ctx, chunks_numel, &memory),
      updates,
      call.include_self,
      out};
  ForEach(dev_ctx, chunks_numel, [=] __device__(int64_t i) {
    reducer.ReduceChunk(i);
  });
  ForEach(dev_ctx, indexed.updates_numel, [=] __device__(int64_t i) {
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
  ForEach(dev_ctx, indexed.updates_numel, [=] __device__(int64_t i) {
    const AxisCoords at = indexed.updates_layout.Locate(i);
    const bool is_last = last[indexed.rows[at.row]] == at.row + RowCount{1};
    if (is_last) out[indexed.OffsetInX(at)] = updates[i];
  });
}

// The kernel of an operator with the reductions of the set `Reduces`.
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
