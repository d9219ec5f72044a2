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

// Tiles of 16-byte packs: how kernels that are bound by memory walk an output
// and read operands that are broadcast to it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// A thread has this many packs in flight, a block's width apart from each
// other: fewer would leave the memory idle between a load and its store.
constexpr int kTileRounds = 4;

template <int N, int kRounds = kTileRounds>
__host__ __device__ constexpr int64_t TileSize() {
  return static_cast<int64_t>(kGpuThreads) * kRounds * N;
}

// The elements of whole packs; fewer than N are left for single threads.
template <int N>
__host__ __device__ constexpr int64_t PackedElements(int64_t numel) {
  return numel - numel % N;
}

// Blocks for a loop over tiles. Several waves, so that the last of them, which
// may not fill the device, is a small part of the whole.
inline unsigned TileGrid(int64_t numel, int64_t tile, int multiprocessors) {
  const int64_t tiles = (numel + tile - 1) / tile;
  const int64_t most = static_cast<int64_t>(multiprocessors) * 64;
  return static_cast<unsigned>(std::max<int64_t>(1, std::min(tiles, most)));
}

// The thread's first element in the block's first tile.
template <int N, int kRounds = kTileRounds>
__device__ inline int64_t TileBegin() {
  return blockIdx.x * TileSize<N, kRounds>() + threadIdx.x * N;
}

template <int N, int kRounds = kTileRounds>
__device__ inline int64_t TileStep() {
  return gridDim.x * TileSize<N, kRounds>();
}

// The thread's first element of a round, from that of its tile.
template <int N>
__device__ inline int64_t RoundBegin(int64_t tile_begin, int round) {
  return tile_begin + static_cast<int64_t>(round) * kGpuThreads * N;
}

// N consecutive elements in registers, as words of 32 bits: an array of small
// elements would take a register for each of them.
template <typename Word, int N>
struct WordPack {
  static constexpr int kBytes = sizeof(Word) * N;
  static constexpr int kWords = (kBytes + 3) / 4;
  uint32_t word[kWords] = {};
};

// Where a small element lies in the 32-bit words of a pack.
template <typename Word>
struct SmallLane {
  static constexpr int kPerWord = 4 / sizeof(Word);
  static constexpr int kBits = 8 * sizeof(Word);
  static constexpr uint32_t kMask = (1u << kBits) - 1u;
};

// lane `lane` = value, where `lane` need not be known at compile time. A pack
// must stay in registers, which have no addresses: hence compares and shifts.
template <typename Word, int N>
__device__ inline void SetLane(WordPack<Word, N>* pack, int lane, Word value) {
  if constexpr (sizeof(Word) < 4) {
    using Small = SmallLane<Word>;
    const int shift = lane % Small::kPerWord * Small::kBits;
    const uint32_t bits = static_cast<uint32_t>(value) << shift;
#pragma unroll
    for (int w = 0; w < WordPack<Word, N>::kWords; ++w) {
      const bool here = w == lane / Small::kPerWord;
      const uint32_t taken = here ? Small::kMask << shift : 0u;
      pack->word[w] = (pack->word[w] & ~taken) | (bits & taken);
    }
  } else {
    constexpr int kWords = sizeof(Word) / 4;
    uint32_t words[kWords];
    memcpy(words, &value, sizeof(Word));
#pragma unroll
    for (int w = 0; w < N * kWords; ++w) {
      if (w / kWords == lane) pack->word[w] = words[w % kWords];
    }
  }
}

template <typename Word, int N>
__device__ inline WordPack<Word, N> Splat(Word value) {
  WordPack<Word, N> pack;
#pragma unroll
  for (int j = 0; j < N; ++j) SetLane(&pack, j, value);
  return pack;
}

template <typename Word, int N>
__device__ inline WordPack<Word, N> LoadAligned(const Word* p) {
  using Packed = WordPack<Word, N>;
  Packed pack;
  if constexpr (Packed::kBytes < 4) {
    pack.word[0] =
        *reinterpret_cast<const typename WordOf<Packed::kBytes>::type*>(p);
  } else {
    const auto loaded =
        *reinterpret_cast<const Pack<uint32_t, Packed::kWords>*>(p);
#pragma unroll
    for (int w = 0; w < Packed::kWords; ++w) pack.word[w] = loaded.lane[w];
  }
  return pack;
}

template <typename Word, int N>
__device__ inline void StoreAligned(Word* p, const WordPack<Word, N>& pack) {
  using Packed = WordPack<Word, N>;
  if constexpr (Packed::kBytes < 4) {
    using Whole = typename WordOf<Packed::kBytes>::type;
    *reinterpret_cast<Whole*>(p) = static_cast<Whole>(pack.word[0]);
  } else {
    Pack<uint32_t, Packed::kWords> stored;
#pragma unroll
    for (int w = 0; w < Packed::kWords; ++w) stored.lane[w] = pack.word[w];
    *reinterpret_cast<Pack<uint32_t, Packed::kWords>*>(p) = stored;
  }
}

// Consecutive elements that may lie unaligned.
template <typename Word, int N>
__device__ inline WordPack<Word, N> LoadUnaligned(const Word* p) {
  if (reinterpret_cast<uintptr_t>(p) % WordPack<Word, N>::kBytes == 0) {
    return LoadAligned<Word, N>(p);
  }
  WordPack<Word, N> pack;
#pragma unroll
  for (int j = 0; j < N; ++j) SetLane(&pack, j, p[j]);
  return pack;
}

// Output elements [i, i + N), all of which exist, of an operand with data.
template <typename Word, int N>
__device__ inline WordPack<Word, N> ReadBroadcast(
    const GpuOperand<Word>& operand, int64_t i) {
  const OperandPlace place = operand.view.Locate(i);
  if (place.left >= N) {
    const Word* first = operand.data + place.offset;
    return operand.view.RepeatsAlongRows() ? Splat<Word, N>(*first)
                                           : LoadUnaligned<Word, N>(first);
  }
  WordPack<Word, N> pack;
#pragma unroll 1
  for (int j = 0; j < N; ++j) {
    SetLane(&pack, j, operand.data[operand.view.Offset(i + j)]);
  }
  return pack;
}

// The same of an operand that CanReadFlat, if kFlat.
template <typename Word, int N, bool kFlat>
__device__ inline WordPack<Word, N> ReadOperand(const GpuOperand<Word>& operand,
                                                int64_t i) {
  if constexpr (kFlat) {
    return LoadAligned<Word, N>(operand.data + i);
  } else {
    return ReadBroadcast<Word, N>(operand, i);
  }
}

// Whether whole packs of an operand are aligned loads.
template <typename Word, int N>
bool CanReadFlat(const GpuOperand<Word>& operand) {
  return operand.data == nullptr ||
         (operand.view.is_flat() &&
          IsAligned(operand.data, WordPack<Word, N>::kBytes));
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
