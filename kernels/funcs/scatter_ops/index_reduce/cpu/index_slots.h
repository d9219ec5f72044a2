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

// The slots that an index points to, read where the index lies: a copy of a
// long index would cost more than adding short rows.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// To GCC a function that only prefetches has no effect, so that it drops calls
// which it has not put in line yet: the empty statement is one.
inline void Prefetch(const void* line) {
#ifdef __GNUC__
  __builtin_prefetch(line);
  asm volatile("");
#endif
}

// Slots [begin, end).
struct SlotRange {
  int64_t begin, end;

  int64_t size() const { return end - begin; }
};

// A view of an index whose values are in [-size, size). Negative ones count
// from the end.
class IndexSlots {
 public:
  // Positions that are read at a time: their slots fit into the L1 cache.
  static constexpr int64_t kChunk = 512;

  IndexSlots(const std::vector<int64_t>& slots)  // NOLINT(runtime/explicit)
      : plain_(slots.data()),
        wide_(slots.data()),
        length_(static_cast<int64_t>(slots.size())) {}
  IndexSlots(const int64_t* index, int64_t n, int64_t size, bool has_negative)
      : plain_(has_negative ? nullptr : index),
        wide_(index),
        length_(n),
        size_(size) {}
  IndexSlots(const int32_t* index, int64_t n, int64_t size, bool)
      : short_(index), length_(n), size_(size) {}

  int64_t length() const { return length_; }

  // The slots of `count` positions from `begin` on, kChunk or fewer. They are
  // put into `room` unless the index holds them as they are.
  const int64_t* Read(int64_t begin, int64_t count, int64_t* room) const {
    if (plain_) return plain_ + begin;
    short_ ? Convert(short_ + begin, count, room)
           : Convert(wide_ + begin, count, room);
    return room;
  }

  // Fetches the values of eight positions from `at` on, which may be behind the
  // last. The processor fetches them by itself only where no reads in random
  // order come in between.
  void FetchEight(int64_t at) const {
    short_ ? Prefetch(short_ + at) : Prefetch(wide_ + at);
  }

  // f(first position, slots, count) for [begin, end), a chunk at a time.
  template <typename F>
  void ForEachChunk(int64_t begin, int64_t end, const F& f) const {
    int64_t room[kChunk];
    for (int64_t at = begin; at < end; at += kChunk) {
      const int64_t count = std::min(kChunk, end - at);
      f(at, Read(at, count, room), count);
    }
  }

  // f(position, slot) for all positions.
  template <typename F>
  void ForEach(const F& f) const {
    ForEachChunk(
        0, length_, [&f](int64_t at, const int64_t* slots, int64_t count) {
          for (int64_t i = 0; i < count; ++i) f(at + i, slots[i]);
        });
  }

 private:
  template <typename IndexT>
  void Convert(const IndexT* index, int64_t count, int64_t* slots) const {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t slot = index[i];
      slots[i] = slot + (slot < 0 ? size_ : 0);
    }
  }

  const int64_t* plain_ = nullptr;  // without a negative value
  const int64_t* wide_ = nullptr;
  const int32_t* short_ = nullptr;
  int64_t length_;
  int64_t size_ = 0;
};

// What is found in the values of an index.
struct IndexSigns {
  bool outside;   // some are not in [-size, size)
  bool negative;  // some are negative
};

// Without a branch, so that the loop becomes vector instructions: the sign of
// slot + size tells of one below, that of size - 1 - slot of one above.
template <typename IndexT>
IndexSigns FindSigns(const IndexT* index, int64_t n, int64_t size) {
  uint64_t outside = 0;
  uint64_t negative = 0;
  const uint64_t slots = size;
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t slot = static_cast<int64_t>(index[i]);
    outside |= (slot + slots) | (slots - 1 - slot);
    negative |= slot;
  }
  return {static_cast<int64_t>(outside) < 0,
          static_cast<int64_t>(negative) < 0};
}

// Throws for the first value that is outside [-size, size).
template <typename IndexT>
[[noreturn]] void ThrowBadIndex(const char* op,
                                const IndexT* index,
                                int64_t n,
                                int64_t size) {
  const IndexT* bad = std::find_if(index, index + n, [size](int64_t slot) {
    return slot < -size || slot >= size;
  });
  PADDLE_THROW(common::errors::OutOfRange(
      "(%s) index must be in [%d, %d), as x has %d elements along axis, but "
      "index[%d] is %d.",
      op,
      -size,
      size,
      size,
      bad - index,
      static_cast<int64_t>(*bad)));
}

// Checks all of an index, which must stay as it is while the slots are read.
template <typename IndexT>
IndexSlots ReadSlots(const char* op,
                     const IndexT* index,
                     int64_t n,
                     int64_t size) {
  std::atomic<bool> outside{false};
  std::atomic<bool> negative{false};
  const Tiles tiles(n, sizeof(IndexT));
  ParallelFor(tiles.count, n * sizeof(IndexT), [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    const IndexSigns signs =
        FindSigns(index + begin, tiles.end(i) - begin, size);
    if (signs.outside) outside = true;
    if (signs.negative) negative = true;
  });
  if (outside) ThrowBadIndex(op, index, n, size);
  return {index, n, size, negative};
}

// f(the values of an index that has some)
template <typename F>
auto VisitIndex(const DenseTensor& index, const F& f) {
  return index.dtype() == DataType::INT32 ? f(index.data<int32_t>())
                                          : f(index.data<int64_t>());
}

inline IndexSlots ReadSlots(const char* op,
                            const DenseTensor& index,
                            int64_t size) {
  const int64_t n = index.numel();
  if (n == 0) return {static_cast<const int64_t*>(nullptr), 0, size, false};
  return VisitIndex(index, [&](const auto* values) {
    return ReadSlots(op, values, n, size);
  });
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
