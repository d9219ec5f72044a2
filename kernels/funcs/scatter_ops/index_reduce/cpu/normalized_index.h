// The index of a reduction on the CPU: validated as a whole, and read with
// negative values counted from the end of the axis.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

inline void ParallelCopy(void* out, const void* in, int64_t bytes) {
  if (out == in) return;
  auto* to = static_cast<char*>(out);
  const auto* from = static_cast<const char*>(in);
  const Tiles tiles(bytes, 1);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    CopyPart(to + begin, from + begin, tiles.end(i) - begin, bytes);
  });
}

// GCC treats a prefetch-only function as having no side effects and may drop
// the call before inlining; the empty asm prevents that. It also keeps GCC from
// merging iterations of the loop around it.
inline void Prefetch(const void* line) {
#ifdef __GNUC__
  __builtin_prefetch(line);
  asm volatile("");
#endif
}

// Prefetches the start of a row in a sequence of rows at random addresses. The
// hardware prefetcher loads the rest of a long row, and all of one that fills a
// page.
template <typename T>
inline void PrefetchRow(const T* row, int64_t length) {
  constexpr int64_t kLineBytes = 64;
  constexpr int64_t kPageBytes = 4096;
  constexpr int64_t kMaxWholeBytes = 1024;
  constexpr int64_t kHeadBytes = 256;  // prefetched of longer rows
  const int64_t bytes = length * static_cast<int64_t>(sizeof(T));
  if (bytes >= kPageBytes) return;
  const auto* first = reinterpret_cast<const char*>(row);
  const int64_t end = bytes <= kMaxWholeBytes ? bytes : kHeadBytes;
  for (int64_t b = 0; b < end; b += kLineBytes) Prefetch(first + b);
}

// The slices that the entries of an index name. The constructor or, if
// `checks_reads`, Read throws unless all values are in [-size, size); the index
// must not change afterwards. Entries are normalized when they are read:
// copying a long index would take longer than accumulating short rows.
class NormalizedIndex {
 public:
  static constexpr int64_t kChunk = 4096;  // entries per read

  NormalizedIndex(const DenseTensor& index,
                  const AxisView& view,
                  bool checks_reads = false)
      : length_(view.length), size_(view.size), checks_reads_(checks_reads) {
    if (index.dtype() == DataType::INT32) {
      int32_ = DataOrNull<int32_t>(index);
    } else {
      int64_ = DataOrNull<int64_t>(index);
    }
    if (checks_reads) return;
    std::atomic<bool> has_negative{false};
    const Tiles tiles(length_, sizeof(int64_t));
    ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
      if (HasNegative(tiles.begin(i), tiles.end(i))) has_negative = true;
    });
    has_negative_ = has_negative;
  }

  int64_t length() const { return length_; }
  // The size of the axis.
  int64_t size() const { return size_; }

  // Returns the slices of count <= kChunk entries from `begin` on, in `buffer`
  // unless the index itself holds them.
  const int64_t* Read(int64_t begin, int64_t count, int64_t* buffer) const {
    const bool has_negative =
        checks_reads_ ? HasNegative(begin, begin + count) : has_negative_;
    if (int64_ && !has_negative) return int64_ + begin;
    VisitIndex([&](const auto* index) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t value = index[begin + i];
        buffer[i] = value + (value < 0 ? size_ : 0);
      }
    });
    return buffer;
  }

  // Calls f(first entry, slices, count) for `chunk` entries at a time.
  template <typename F>
  void ForEachChunk(const F& f, int64_t chunk = kChunk) const {
    int64_t buffer[kChunk];
    for (int64_t at = 0; at < length_; at += chunk) {
      const int64_t count = std::min(chunk, length_ - at);
      f(at, Read(at, count, buffer), count);
    }
  }

  // Calls f(entry, slice) for each entry.
  template <typename F>
  void ForEach(const F& f) const {
    ForEachChunk([&f](int64_t at, const int64_t* slices, int64_t count) {
      for (int64_t i = 0; i < count; ++i) f(at + i, slices[i]);
    });
  }

 private:
  template <typename F>
  void VisitIndex(const F& f) const {
    int64_ ? f(int64_) : f(int32_);
  }

  // Throws for a value outside [-size, size).
  bool HasNegative(int64_t begin, int64_t end) const {
    // Branchless, so that the loop vectorizes: slice + size is negative for a
    // value below the range, size - 1 - slice for one above.
    uint64_t out_of_range = 0;
    uint64_t negative = 0;
    VisitIndex([&, size = static_cast<uint64_t>(size_)](const auto* index) {
      for (int64_t i = begin; i < end; ++i) {
        const uint64_t slice = static_cast<int64_t>(index[i]);
        out_of_range |= (slice + size) | (size - 1 - slice);
        negative |= slice;
      }
    });
    if (static_cast<int64_t>(out_of_range) < 0) ThrowOutOfRange();
    return static_cast<int64_t>(negative) < 0;
  }

  [[noreturn]] void ThrowOutOfRange() const {
    int64_t at = 0;
    int64_t slice = 0;
    VisitIndex([&](const auto* index) {
      while (index[at] >= -size_ && index[at] < size_) ++at;
      slice = index[at];
    });
    PADDLE_THROW(common::errors::OutOfRange(
        "(scatter) The values of index should be in [%d, %d) for a dimension "
        "of size %d, but received index[%d] = %d.",
        -size_,
        size_,
        size_,
        at,
        slice));
  }

  const int64_t* int64_ = nullptr;
  const int32_t* int32_ = nullptr;
  int64_t length_;
  int64_t size_;
  bool checks_reads_;
  bool has_negative_ = false;
};

// Allocates the gradient of updates. Updates past the end of the index, which
// only scatter accepts, get zeros.
template <typename T, typename Context>
T* AllocUpdatesGrad(const Context& dev_ctx,
                    const AxisView& view,
                    DenseTensor* grad) {
  T* data = dev_ctx.template Alloc<T>(grad);
  const int64_t num_used = view.outer * view.length * view.inner;
  const int64_t num_unused = grad->numel() - num_used;
  ParallelZero(data + num_used, num_unused * static_cast<int64_t>(sizeof(T)));
  return data;
}

// The operands of a reduction. out may be x; updates is null if it has no
// elements.
template <typename T>
struct ReduceOperands {
  const AxisView& view;
  const NormalizedIndex& index;
  bool include_self;
  const T* x;
  const T* updates;
  T* out;
};

}  // namespace phi::funcs::scatter_ops
