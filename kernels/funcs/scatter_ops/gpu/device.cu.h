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

// What all GPU kernels of the masked and scatter operators need of the device:
// threads and grids, packs of 16 bytes, and how a fault is reported.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/element_word.h"

// A fault that only the device can see: report it once and end the kernel, as
// the framework's own index kernels do. Nothing has been written out of range.
#define SCATTER_OPS_DEVICE_CHECK(condition, ...) \
  do {                                           \
    if (!(condition)) {                          \
      printf(__VA_ARGS__);                       \
      __trap();                                  \
    }                                            \
  } while (0)

namespace phi {
namespace funcs {
namespace scatter_ops {

constexpr int kGpuThreads = 256;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kWarpSize = 32;

#ifdef __NVCC__
using GpuStream = cudaStream_t;
#else
using GpuStream = void*;
#endif

// Elements that one 16-byte access moves.
template <typename Word>
constexpr int PackSize() {
  return 16 / sizeof(Word);
}

template <typename Word, int N>
struct alignas(sizeof(Word) * N) Pack {
  Word lane[N];
};

template <typename Word, int N>
__device__ inline Pack<Word, N> LoadPack(const Word* p) {
  return *reinterpret_cast<const Pack<Word, N>*>(p);
}

template <typename Word, int N>
__device__ inline void StorePack(Word* p, const Pack<Word, N>& pack) {
  *reinterpret_cast<Pack<Word, N>*>(p) = pack;
}

inline bool IsAligned(const void* p, size_t bytes) {
  return reinterpret_cast<uintptr_t>(p) % bytes == 0;
}

// Blocks for a grid-stride loop: enough to fill the device, and no more than
// the work needs.
inline unsigned GridSize(int64_t work_items, int multiprocessors) {
  const int64_t blocks = (work_items + kGpuThreads - 1) / kGpuThreads;
  const int64_t resident = static_cast<int64_t>(multiprocessors) * 8;
  return static_cast<unsigned>(
      std::max<int64_t>(1, std::min(blocks, resident)));
}

__device__ inline int64_t GlobalThread() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline int64_t GridThreads() {
  return static_cast<int64_t>(gridDim.x) * blockDim.x;
}

// Mask bytes may be other than 0 and 1.
__device__ inline bool IsTrueAt(const uint8_t* mask, int64_t i) {
  return mask[i] != 0;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
