// The forward kernels of index_scatter and index_reduce on the GPU, and of the
// double gradient of scatter. Updates are reduced in index order, after a
// stable sort and without floating-point atomics: results are reproducible. out
// may be x and may overlap updates.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// The coordinates of an element of x, updates or a workspace.
struct AxisCoords {
  int64_t outer;
  int64_t row;  // along the axis
  int64_t inner;
};

// A valid index, and the Tensors around its axis.
struct IndexedSlices {
  AxisView view;
  const int64_t* slices;  // the slice of x that each entry names

  int64_t updates_numel() const {
    return view.outer * view.length * view.inner;
  }

  // The coordinates of element i of [outer, num_rows, inner].
  __device__ AxisCoords Locate(int64_t i, int64_t num_rows) const {
    const int64_t outer_row = i / view.inner;
    const int64_t outer = outer_row / num_rows;
    return {outer, outer_row - outer * num_rows, i - outer_row * view.inner};
  }

  // The offset of `at`, with another row, in [outer, num_rows, inner].
  __device__ int64_t Offset(const AxisCoords& at,
                            int64_t num_rows,
                            int64_t row) const {
    return (at.outer * num_rows + row) * view.inner + at.inner;
  }

  // The coordinates of element i of updates.
  __device__ AxisCoords LocateUpdate(int64_t i) const {
    return Locate(i, view.length);
  }

  // The offset in x of the element that an update is reduced into.
  __device__ int64_t OffsetInX(const AxisCoords& update) const {
    return Offset(update, view.size, slices[update.row]);
  }
};

// Validates the index and adds the size of the axis to negative entries. A
// separate launch: an invalid index traps before any output is written.
inline IndexedSlices ReadIndex(const GPUContext& dev_ctx,
                               const DenseTensor& index,
                               const AxisView& view,
                               DenseTensor* memory) {
  const int64_t size = view.size;
  // The entries are numbered in 32 bits, and CUB before CCCL 2.8 requires an
  // int number of items.
  if (view.length > std::numeric_limits<int32_t>::max()) {
    PADDLE_THROW(common::errors::Unimplemented(
        "(scatter) The length of index should be less than 2^31 on a GPU, but "
        "received %d.",
        view.length));
  }
  const bool is_int32 = index.dtype() == DataType::INT32;
  const void* entries = view.length == 0 ? nullptr : index.data();
  auto* slices = AllocWorkspace<int64_t>(dev_ctx, view.length, memory);
  ForEach(dev_ctx, view.length, [=] __device__(int64_t i) {
    const int64_t slice = is_int32 ? static_cast<const int32_t*>(entries)[i]
                                   : static_cast<const int64_t*>(entries)[i];
    PADDLE_ENFORCE(slice >= -size && slice < size,
                   "(scatter) The values of index should be in [%ld, %ld) for "
                   "a dimension of size %ld, but received index[%ld] = %ld.",
                   -size,
                   size,
                   size,
                   i,
                   slice);
    slices[i] = slice < 0 ? slice + size : slice;
  });
  return {view, slices};
}

// For each slice, the number of index entries that name it; unless `count`, the
// last of them plus one, or 0. Integer atomics are deterministic in any order.
inline const unsigned* SummarizeSlices(const GPUContext& dev_ctx,
                                       const IndexedSlices& indexed,
                                       bool count,
                                       DenseTensor* memory) {
  const int64_t size = indexed.view.size;
  auto* entries = AllocWorkspace<unsigned>(dev_ctx, size, memory);
  ClearBytes(dev_ctx, entries, size * sizeof(unsigned));
  ForEach(dev_ctx, indexed.view.length, [=] __device__(int64_t i) {
    unsigned* const at = entries + indexed.slices[i];
    count ? atomicAdd(at, 1u) : atomicMax(at, static_cast<unsigned>(i + 1));
  });
  return entries;
}

// Index entries sorted by slice. Those of a slice form a segment, in index
// order.
struct Segments : IndexedSlices {
  const int32_t* entries;

  __device__ bool IsHead(int64_t p) const {
    return p == 0 || slices[p - 1] != slices[p];
  }
  __device__ bool Has(int64_t p, int64_t slice) const {
    return p < view.length && slices[p] == slice;
  }
  // The offset in updates of the p-th sorted entry.
  __device__ int64_t OffsetInUpdates(const AxisCoords& at, int64_t p) const {
    return Offset(at, view.length, entries[p]);
  }
};

// Stable.
inline Segments SortBySlice(const GPUContext& dev_ctx,
                            const IndexedSlices& indexed,
                            DenseTensor* memory) {
  const int64_t n = indexed.view.length;
  auto* slices = AllocWorkspace<int64_t>(dev_ctx, 2 * n, memory);
  auto* entries =
      reinterpret_cast<int32_t*>(slices + n);  // unsorted, then sorted
  ForEach(dev_ctx, n, [=] __device__(int64_t i) {
    entries[i] = static_cast<int32_t>(i);
  });
  int num_key_bits = 1;
  while (num_key_bits < 63 && indexed.view.size > int64_t{1} << num_key_bits) {
    ++num_key_bits;
  }
  CallCub(dev_ctx, [&](void* temp_storage, size_t* bytes) {
    return cub::DeviceRadixSort::SortPairs(temp_storage,
                                           *bytes,
                                           indexed.slices,
                                           slices,
                                           entries,
                                           entries + n,
                                           static_cast<int>(n),
                                           /*begin_bit=*/0,
                                           /*end_bit=*/num_key_bits,
                                           dev_ctx.stream());
  });
  Segments segments{indexed, entries + n};
  segments.slices = slices;
  return segments;
}

// A segment is reduced in chunks, which end at multiples of kChunkEntries
// sorted entries. If it has several, rounding may differ from the CPU's.
constexpr int64_t kChunkEntries = 256;

// The reduction of a chunk's entries that continue a segment.
template <typename Sum>
struct Chunk {
  Sum sum;
  int64_t length;
};

// Reduces the updates of each segment into out, which holds x.
template <typename T, IndexReduce kReduce>
void ReduceSegments(const GPUContext& dev_ctx,
                    const IndexReduceCall& call,
                    const IndexedSlices& indexed,
                    const T* updates,
                    T* out) {
  using Sum = ReduceType<T, kReduce>;
  constexpr bool kIsMean = kReduce == IndexReduce::kMean;
  const bool include_self = call.include_self;
  DenseTensor sorted;
  const Segments segments = SortBySlice(dev_ctx, indexed, &sorted);
  const AxisView& view = segments.view;
  const int64_t num_chunks = (view.length + kChunkEntries - 1) / kChunkEntries;
  const int64_t chunks_numel =
      num_chunks > 1 ? view.outer * num_chunks * view.inner : 0;
  DenseTensor memory;
  auto* chunks = AllocWorkspace<Chunk<Sum>>(dev_ctx, chunks_numel, &memory);
  const auto read = [=] __device__(const AxisCoords& at, int64_t p) {
    return static_cast<Sum>(updates[segments.OffsetInUpdates(at, p)]);
  };
  // Accumulates the entries after p that are in its segment and chunk. Returns
  // their end.
  const auto accumulate = [=] __device__(
                              const AxisCoords& at, int64_t p, Sum* sum) {
    const int64_t slice = segments.slices[p++];
    for (; p % kChunkEntries != 0 && segments.Has(p, slice); ++p) {
      *sum = Combine<kReduce>(*sum, read(at, p));
    }
    return p;
  };
  // Chunks that continue a segment.
  ForEach(dev_ctx, chunks_numel, [=] __device__(int64_t i) {
    const AxisCoords at = segments.Locate(i, num_chunks);
    const int64_t begin = at.row * kChunkEntries;
    if (segments.IsHead(begin)) return;
    Sum sum = read(at, begin);
    const int64_t end = accumulate(at, begin, &sum);
    chunks[i] = {sum, end - begin};
  });
  // Segments.
  ForEach(dev_ctx, segments.updates_numel(), [=] __device__(int64_t i) {
    const AxisCoords at = segments.LocateUpdate(i);
    const int64_t begin = at.row;
    if (!segments.IsHead(begin)) return;
    const int64_t slice = segments.slices[begin];
    T* result = out + segments.OffsetInX(at);
    Sum sum = read(at, begin);
    if (include_self) {
      sum = Combine<kReduce>(static_cast<Sum>(*result), sum);
    } else if (kIsMean || kReduce == IndexReduce::kSum) {
      // A sum without x starts from zero, which turns a lone -0.0 into 0.0.
      sum = Combine<kReduce>(Sum{}, sum);
    }
    int64_t p = accumulate(at, begin, &sum);
    while (p % kChunkEntries == 0 && segments.Has(p, slice)) {
      const Chunk<Sum>& chunk =
          chunks[segments.Offset(at, num_chunks, p / kChunkEntries)];
      sum = Combine<kReduce>(sum, chunk.sum);
      p += chunk.length;
    }
    if (kIsMean) sum = DivideByCount(sum, p - begin + include_self);
    *result = static_cast<T>(sum);
  });
}

// Copies the last update of each slice into out, which holds x.
template <typename T>
void AssignLast(const GPUContext& dev_ctx,
                const IndexedSlices& indexed,
                const T* updates,
                T* out) {
  DenseTensor memory;
  const unsigned* ends =
      SummarizeSlices(dev_ctx, indexed, /*count=*/false, &memory);
  ForEach(dev_ctx, indexed.updates_numel(), [=] __device__(int64_t i) {
    const AxisCoords at = indexed.LocateUpdate(i);
    const bool is_last = ends[indexed.slices[at.row]] == at.row + 1;
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
  const IndexedSlices indexed = ReadIndex(dev_ctx, index, view, &memory);
  std::unique_ptr<DenseTensor> copy;
  const T* update_data =
      CopyIfOverlapping<T>(dev_ctx, updates, out_data, bytes, &copy);
  CopyBytes(dev_ctx, x_data, bytes, out_data);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr IndexReduce kReduce = decltype(constant)::value;
    if (view.length == 0) return;
    if constexpr (kReduce == IndexReduce::kAssign) {
      AssignLast(dev_ctx, indexed, update_data, out_data);
    } else {
      ReduceSegments<T, kReduce>(dev_ctx, call, indexed, update_data, out_data);
    }
  });
}

}  // namespace phi::funcs::scatter_ops
