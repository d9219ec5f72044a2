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

// The index of an operator that reduces slices by it: checked, and read as
// slots.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// memcpy by all threads.
inline void ParallelCopy(void* out, const void* in, int64_t bytes) {
  if (out == in || bytes == 0) return;
  auto* to = static_cast<char*>(out);
  const auto* from = static_cast<const char*>(in);
  const Tiles tiles(bytes, 1);
  const bool streams = UseNonTemporalStores(bytes, /*in_place=*/false);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    StreamCopy(to + begin, from + begin, tiles.end(i) - begin, streams);
  });
}

// To GCC a function that only prefetches has no effect, so that it drops calls
// which it has not put in line yet: the empty statement is one.
inline void Prefetch(const void* line) {
#ifdef __GNUC__
  __builtin_prefetch(line);
  asm volatile("");
#endif
}

// Fetches the start of a row, of which many are read in no order. The processor
// foresees the rest of a long one by itself, and all of one that fills a page.
template <typename T>
inline void PrefetchRow(const T* row, int64_t length) {
  constexpr int64_t kLine = 64;
  const int64_t bytes = length * static_cast<int64_t>(sizeof(T));
  if (bytes >= 4096) return;
  const auto* first = reinterpret_cast<const char*>(row);
  const int64_t end = bytes <= 1024 ? bytes : 256;
  for (int64_t b = 0; b < end; b += kLine) Prefetch(first + b);
}

// The slots that an index names, read where it lies: a copy of a long index
// would cost more than adding short rows. Its values must be in [-size, size);
// negative ones count from the end. All of it is checked at first, before
// anything is written to x; after that it must stay as it is.
class IndexSlots {
 public:
  static constexpr int64_t kChunk = 4096;  // positions that are read at a time

  IndexSlots(const char* op, const DenseTensor& index, const AxisView& view)
      : op_(op), length_(view.length), size_(view.size) {
    if (index.dtype() == DataType::INT32) {
      int32_ = DataOrNull<int32_t>(index);
    } else {
      int64_ = DataOrNull<int64_t>(index);
    }
    std::atomic<bool> negative{false};
    const Tiles tiles(length_, sizeof(int64_t));
    ParallelFor(tiles.count, tiles.bytes, [&](int64_t i) {
      if (HasNegative(tiles.begin(i), tiles.end(i))) negative = true;
    });
    has_negative_ = negative;
  }

  int64_t length() const { return length_; }

  // The slots of `count` positions from `begin` on, kChunk or fewer. They are
  // put into `buffer` unless the index holds them as they are.
  const int64_t* Read(int64_t begin, int64_t count, int64_t* buffer) const {
    if (int64_ && !has_negative_) return int64_ + begin;
    VisitIndex([&](const auto* index) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t value = index[begin + i];
        buffer[i] = value + (value < 0 ? size_ : 0);
      }
    });
    return buffer;
  }

  // f(first position, slots, count) for all positions, `chunk` at a time.
  template <typename F>
  void ForEachChunk(const F& f, int64_t chunk = kChunk) const {
    int64_t buffer[kChunk];
    for (int64_t at = 0; at < length_; at += chunk) {
      const int64_t count = std::min(chunk, length_ - at);
      f(at, Read(at, count, buffer), count);
    }
  }

  // f(position, slot) for all positions.
  template <typename F>
  void ForEach(const F& f) const {
    ForEachChunk([&f](int64_t at, const int64_t* slots, int64_t count) {
      for (int64_t i = 0; i < count; ++i) f(at + i, slots[i]);
    });
  }

 private:
  template <typename F>
  void VisitIndex(const F& f) const {
    int64_ ? f(int64_) : f(int32_);
  }

  // Throws for a value outside [-size, size).
  bool HasNegative(int64_t begin, int64_t end) const {
    // Without a branch, so that the loop becomes vector instructions: the sign
    // of slot + size tells of one below, that of size - 1 - slot of one above.
    uint64_t signs = 0;
    uint64_t any = 0;
    VisitIndex([&, slots = static_cast<uint64_t>(size_)](const auto* index) {
      for (int64_t i = begin; i < end; ++i) {
        const uint64_t slot = static_cast<int64_t>(index[i]);
        signs |= (slot + slots) | (slots - 1 - slot);
        any |= slot;
      }
    });
    if (static_cast<int64_t>(signs) < 0) ThrowFirstOutside();
    return static_cast<int64_t>(any) < 0;
  }

  [[noreturn]] void ThrowFirstOutside() const {
    int64_t at = 0;
    int64_t slot = 0;
    VisitIndex([&](const auto* index) {
      while (index[at] >= -size_ && index[at] < size_) ++at;
      slot = index[at];
    });
    PADDLE_THROW(common::errors::OutOfRange(
        "(%s) index must be in [%d, %d), as x has %d elements along axis, but "
        "index[%d] is %d.",
        op_,
        -size_,
        size_,
        size_,
        at,
        slot));
  }

  const char* op_;
  const int64_t* int64_ = nullptr;
  const int32_t* int32_ = nullptr;
  int64_t length_;
  int64_t size_;
  bool has_negative_ = false;
};

// Allocates the gradient of updates. Of those behind the end of the index,
// which only scatter accepts, it is zero.
template <typename T, typename Context>
T* AllocUpdatesGrad(const Context& dev_ctx,
                    const AxisView& view,
                    DenseTensor* grad) {
  T* data = dev_ctx.template Alloc<T>(grad);
  const int64_t used = view.outer * view.length * view.inner;
  const int64_t unused = grad->numel() - used;
  ParallelZero(data + used, unused * static_cast<int64_t>(sizeof(T)));
  return data;
}

// What a reduction reads and writes. out may be x; updates may be null if it
// has no elements.
template <typename T>
struct ReduceOperands {
  const AxisView& view;
  const IndexSlots& slots;
  bool include_self;
  const T* x;
  const T* updates;
  T* out;
};

}  // namespace phi::funcs::scatter_ops
