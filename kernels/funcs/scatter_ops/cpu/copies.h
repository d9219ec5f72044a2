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

// Copies past the caches on the CPU.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/run.h"

namespace phi::funcs::scatter_ops {

// How a tile of an output is stored. An ordinary store first fetches the line
// that it writes to. Where the caches have no room for an output anyway, stores
// past them save that fetch, a third of what a copy moves.
enum class Stores { kOrdinary, kPastCaches };

// How to store an output of so many bytes. From 32 MiB on the caches that a
// core shares with few others have no room for it and for what it is made of;
// what follows may find a smaller one in a cache. Linux is not asked for their
// size: it may tell that of all of them together.
inline Stores StoresFor(int64_t bytes) {
  constexpr int64_t kLeast = 32 << 20;
  return bytes >= kLeast && HasAvx2() ? Stores::kPastCaches : Stores::kOrdinary;
}

// The same for an output that is made from `in` or in place.
inline Stores StoresInto(const void* out, const void* in, int64_t bytes) {
  return out == in ? Stores::kOrdinary : StoresFor(bytes);
}

#ifdef SCATTER_OPS_AVX2
// memcpy with stores past the caches to whole lines.
SCATTER_OPS_TARGET inline void CopyPastCaches(char* out,
                                              const char* in,
                                              int64_t bytes) {
  constexpr int64_t kLine = 64;
  const int64_t head = -reinterpret_cast<intptr_t>(out) & (kLine - 1);
  std::memcpy(out, in, head);
  int64_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    const auto* from = reinterpret_cast<const __m256i*>(in + at);
    auto* to = reinterpret_cast<__m256i*>(out + at);
    const __m256i low = _mm256_loadu_si256(from);
    const __m256i high = _mm256_loadu_si256(from + 1);
    _mm256_stream_si256(to, low);
    _mm256_stream_si256(to + 1, high);
  }
  std::memcpy(out + at, in + at, bytes - at);
}
#endif

// Others may read the tile when this is destroyed.
class TileStores {
 public:
  explicit TileStores(Stores stores) : stores_(stores) {}
  TileStores(const TileStores&) = delete;
  TileStores& operator=(const TileStores&) = delete;
  ~TileStores() {
#ifdef SCATTER_OPS_AVX2
    if (past_caches()) _mm_sfence();
#endif
  }

  bool past_caches() const { return stores_ == Stores::kPastCaches; }

  // Whether Copy stores so many bytes past the caches: fewer than this are
  // mostly parts of lines.
  bool SkipCaches(int64_t bytes) const { return past_caches() && bytes >= 512; }

  // memcpy
  void Copy(void* out, const void* in, int64_t bytes) const {
#ifdef SCATTER_OPS_AVX2
    if (SkipCaches(bytes)) {
      CopyPastCaches(
          static_cast<char*>(out), static_cast<const char*>(in), bytes);
      return;
    }
#endif
    std::memcpy(out, in, bytes);
  }

 private:
  Stores stores_;
};

// Calls f(to, b, n) for blocks [b, b + n) of [begin, end) in order, of at most
// `most` elements, which f writes to `to`. That is out + b or, where stores go
// past the caches, a buffer which is then copied there. It is so small that
// reading the next block goes on while the stores are on their way.
template <typename Word, typename F>
void StoreBlocks(const TileStores& stores,
                 Word* out,
                 int64_t begin,
                 int64_t end,
                 int64_t most,
                 const F& f) {
  constexpr int64_t kBuffered = 4096 / sizeof(Word);
  Word buffer[kBuffered];
  const bool buffered = stores.past_caches();
  const int64_t step = buffered ? std::min(most, kBuffered) : most;
  for (int64_t b = begin; b < end; b += step) {
    const int64_t n = std::min(step, end - b);
    Word* to = buffered ? buffer : out + b;
    f(to, b, n);
    if (buffered) stores.Copy(out + b, to, n * sizeof(Word));
  }
}

}  // namespace phi::funcs::scatter_ops
