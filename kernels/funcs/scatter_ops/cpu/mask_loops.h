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

// Loops over contiguous blocks under a mask. They move bytes, so they are made
// once for each element size, with a vector form chosen at run time and a
// branch-free portable form.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask_vectors.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// A mask made elsewhere may hold bytes other than 0 and 1. To read them as bool
// is undefined, so that masks are bytes everywhere.
inline bool IsTrue(const uint8_t* mask, int64_t i) { return mask[i] != 0; }

inline int64_t CountTruePortable(const uint8_t* mask, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) count += IsTrue(mask, i);
  return count;
}

// One element at a time, without a branch on the mask. Values past
// `value_left` are not read; x stands in for them and the count tells.
template <typename Word>
inline int64_t ScatterEach(Word* out,
                           const Word* x,
                           const uint8_t* mask,
                           const Word* value,
                           int64_t value_left,
                           int64_t n) {
  int64_t k = 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool take = IsTrue(mask, i);
    const Word* from = take && k < value_left ? value + k : x + i;
    out[i] = *from;
    k += take;
  }
  return k;
}

// Writes at most `capacity` elements: the number of Trues, as counted before.
template <typename Word>
inline int64_t GatherEach(Word* out,
                          int64_t capacity,
                          const Word* in,
                          const uint8_t* mask,
                          int64_t n) {
  int64_t k = 0;
  for (int64_t i = 0; i < n && k < capacity; ++i) {
    out[k] = in[i];
    k += IsTrue(mask, i);
  }
  return k;
}

template <typename Word>
inline void FillEach(
    Word* out, const Word* x, const uint8_t* mask, Word fill, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const Word* from = IsTrue(mask, i) ? &fill : x + i;
    out[i] = *from;
  }
}

#ifdef SCATTER_OPS_AVX2

SCATTER_OPS_TARGET inline int64_t CountTrueAvx2(const uint8_t* mask,
                                                int64_t n) {
  int64_t count = 0;
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) count += _mm_popcnt_u32(MaskBits32(mask + i));
  return count + CountTruePortable(mask + i, n - i);
}

// Eight lanes of out: the next values where the bits are set, else x.
// Reads eight values from `value` on.
template <Stores kStores, typename Word>
SCATTER_OPS_STEP void ScatterStep(Word* out,
                                  const Word* x,
                                  const Word* value,
                                  uint32_t bits) {
  using L = Lanes8<sizeof(Word)>;
  const auto taken = L::Permute(value, kLaneTables.expand[bits]);
  L::template Store<kStores>(out, L::Select(bits, taken, L::Load(x)));
}

template <Stores kStores>
SCATTER_OPS_STEP void ScatterStep(uint64_t* out,
                                  const uint64_t* x,
                                  const uint64_t* value,
                                  uint32_t bits) {
  using L = Lanes8<8>;
  const uint32_t low = bits & 0xf;
  const uint32_t high = bits >> 4;
  const auto first = L::PermuteHalf(value, kLaneTables.expand[low]);
  const auto second =
      L::PermuteHalf(value + _mm_popcnt_u32(low), kLaneTables.expand[high]);
  L::template Store<kStores>(out, L::Select(bits, {first, second}, L::Load(x)));
}

template <Stores kStores>
SCATTER_OPS_STEP void ScatterStep(Bytes16* out,
                                  const Bytes16* x,
                                  const Bytes16* value,
                                  uint32_t bits) {
  for (int i = 0; i < 8; ++i) {
    const bool take = bits >> i & 1;
    const Bytes16* from = take ? value : x + i;
    StoreVector<kStores>(
        out + i, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    value += take;
  }
}

// Moves the lanes whose bits are set to the front. Writes eight elements, the
// last ones without meaning.
template <typename Word>
SCATTER_OPS_STEP void GatherStep(Word* out, const Word* in, uint32_t bits) {
  using L = Lanes8<sizeof(Word)>;
  L::template Store<Stores::kOrdinary>(
      out, L::Permute(in, kLaneTables.compress[bits]));
}

SCATTER_OPS_STEP void GatherStep(uint64_t* out,
                                 const uint64_t* in,
                                 uint32_t bits) {
  using L = Lanes8<8>;
  const uint32_t low = bits & 0xf;
  StoreVector<Stores::kOrdinary>(out,
                                 L::PermuteHalf(in, kLaneTables.compress[low]));
  StoreVector<Stores::kOrdinary>(
      out + _mm_popcnt_u32(low),
      L::PermuteHalf(in + 4, kLaneTables.compress[bits >> 4]));
}

SCATTER_OPS_STEP void GatherStep(Bytes16* out,
                                 const Bytes16* in,
                                 uint32_t bits) {
  for (int i = 0; i < 8; ++i) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i)));
    out += bits >> i & 1;
  }
}

template <Stores kStores, typename Word>
SCATTER_OPS_STEP void FillStep(Word* out,
                               const Word* x,
                               Word fill,
                               uint32_t bits) {
  using L = Lanes8<sizeof(Word)>;
  L::template Store<kStores>(out, L::Select(bits, L::Set(fill), L::Load(x)));
}

template <Stores kStores>
SCATTER_OPS_STEP void FillStep(Bytes16* out,
                               const Bytes16* x,
                               Bytes16 fill,
                               uint32_t bits) {
  for (int i = 0; i < 8; ++i) {
    const Bytes16* from = bits >> i & 1 ? &fill : x + i;
    StoreVector<kStores>(
        out + i, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
}

// 32 elements.
template <Stores kStores, typename Word>
SCATTER_OPS_STEP void MoveBlock(Word* out, const Word* in) {
  if constexpr (kStores == Stores::kPastCaches) {
    auto* to = reinterpret_cast<__m256i*>(out);
    const auto* from = reinterpret_cast<const __m256i*>(in);
    for (size_t i = 0; i < sizeof(Word); ++i) {
      StoreVector<kStores>(to + i, _mm256_loadu_si256(from + i));
    }
  } else if (out != in) {
    std::memcpy(out, in, 32 * sizeof(Word));
  }
}

template <Stores kStores, typename Word>
SCATTER_OPS_TARGET int64_t ScatterAvx2(Word* out,
                                       const Word* x,
                                       const uint8_t* mask,
                                       const Word* value,
                                       int64_t value_left,
                                       int64_t n) {
  int64_t k = 0;
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits == 0) {
      MoveBlock<kStores>(out + i, x + i);
    } else if (k + 32 > value_left) {
      k += ScatterEach(out + i, x + i, mask + i, value + k, value_left - k, 32);
    } else if (bits == ~uint32_t{0}) {
      MoveBlock<kStores>(out + i, value + k);
      k += 32;
    } else {
      for (int j = 0; j < 32; j += 8) {
        const uint32_t eight = bits >> j & 0xff;
        ScatterStep<kStores>(out + i + j, x + i + j, value + k, eight);
        k += _mm_popcnt_u32(eight);
      }
    }
  }
  return k + ScatterEach(
                 out + i, x + i, mask + i, value + k, value_left - k, n - i);
}

template <typename Word>
SCATTER_OPS_TARGET int64_t GatherAvx2(Word* out,
                                      int64_t capacity,
                                      const Word* in,
                                      const uint8_t* mask,
                                      int64_t n) {
  int64_t k = 0;
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits == 0) continue;
    if (k + 32 > capacity) {
      k += GatherEach(out + k, capacity - k, in + i, mask + i, 32);
    } else if (bits == ~uint32_t{0}) {
      MoveBlock<Stores::kOrdinary>(out + k, in + i);
      k += 32;
    } else {
      for (int j = 0; j < 32; j += 8) {
        const uint32_t eight = bits >> j & 0xff;
        GatherStep(out + k, in + i + j, eight);
        k += _mm_popcnt_u32(eight);
      }
    }
  }
  return k + GatherEach(out + k, capacity - k, in + i, mask + i, n - i);
}

template <Stores kStores, typename Word>
SCATTER_OPS_TARGET void FillAvx2(
    Word* out, const Word* x, const uint8_t* mask, Word fill, int64_t n) {
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const uint32_t bits = MaskBits32(mask + i);
    if (bits == 0) {
      MoveBlock<kStores>(out + i, x + i);
    } else {
      for (int j = 0; j < 32; j += 8) {
        FillStep<kStores>(out + i + j, x + i + j, fill, bits >> j & 0xff);
      }
    }
  }
  FillEach(out + i, x + i, mask + i, fill, n - i);
}

#endif  // SCATTER_OPS_AVX2

inline int64_t CountTrue(const uint8_t* mask, int64_t n) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) return CountTrueAvx2(mask, n);
#endif
  return CountTruePortable(mask, n);
}

// out[i] = mask[i] ? the next value : x[i]; returns the number of Trues. Never
// reads past value_left: a return above it says that values were missing.
// out may be x.
template <typename Word>
int64_t ScatterBlock(const TileStores& stores,
                     Word* out,
                     const Word* x,
                     const uint8_t* mask,
                     const Word* value,
                     int64_t value_left,
                     int64_t n) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) {
    return stores.Visit(out, [&](auto kind) {
      return ScatterAvx2<kind()>(out, x, mask, value, value_left, n);
    });
  }
#endif
  return ScatterEach(out, x, mask, value, value_left, n);
}

// The inverse: the elements under True, in order, to out, which has room for
// `capacity`; returns how many.
template <typename Word>
int64_t GatherBlock(Word* out,
                    int64_t capacity,
                    const Word* in,
                    const uint8_t* mask,
                    int64_t n) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) return GatherAvx2(out, capacity, in, mask, n);
#endif
  return GatherEach(out, capacity, in, mask, n);
}

// out[i] = mask[i] ? fill : x[i]. out may be x.
template <typename Word>
void FillBlock(const TileStores& stores,
               Word* out,
               const Word* x,
               const uint8_t* mask,
               Word fill,
               int64_t n) {
#ifdef SCATTER_OPS_AVX2
  if (HasAvx2()) {
    return stores.Visit(
        out, [&](auto kind) { FillAvx2<kind()>(out, x, mask, fill, n); });
  }
#endif
  FillEach(out, x, mask, fill, n);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
