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

// index_reduce by atomics on the GPU: for rows so short that sorting the index
// would cost more than the reduction itself, where the dtype and the reduction
// have atomics that are fast.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/lanes.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Reading the index, sorting it and going through it in order moves about this
// many bytes for each position.
constexpr int64_t kSortBytes = 128;

template <typename T, IndexReduce kReduce>
constexpr bool HasAtomics() {
  return (kReduce == IndexReduce::kSum || kReduce == IndexReduce::kAmax ||
          kReduce == IndexReduce::kAmin) &&
         (std::is_same<T, float>::value || std::is_same<T, double>::value ||
          std::is_same<T, int32_t>::value || std::is_same<T, int64_t>::value);
}

// Whether atomics are faster than sorting. Not along the last axis: there the
// sorted order reads neighbours, and threads do not wait for each other where
// all positions point to one slot.
template <typename T>
bool AtomicsPay(const AxisView& view) {
  return view.inner > 1 &&
         view.outer * view.inner * static_cast<int64_t>(sizeof(T)) <=
             kSortBytes;
}

// The types of the size of T that the functions of CUDA have atomics for.
template <typename T>
using AtomicInteger = std::conditional_t<sizeof(T) == 8, long long, int>;
template <typename T>
using AtomicWord =
    std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;

// Compares bits, in which a NaN is equal to itself: the loop ends for NaN too.
template <IndexReduce kReduce, typename T>
__device__ inline void CombineBySwapping(T* target, T value) {
  using Word = AtomicWord<T>;
  Word* words = reinterpret_cast<Word*>(target);
  Word seen = *reinterpret_cast<volatile Word*>(words);
  while (true) {
    const Word wanted = BitsAs<Word>(Combine<kReduce>(BitsAs<T>(seen), value));
    if (wanted == seen) return;
    const Word found = atomicCAS(words, seen, wanted);
    if (found == seen) return;
    seen = found;
  }
}

template <IndexReduce kReduce, typename T>
__device__ inline void AtomicCombine(T* target, T value) {
  if constexpr (kReduce == IndexReduce::kSum && !std::is_integral<T>::value) {
    atomicAdd(target, value);
  } else if constexpr (kReduce == IndexReduce::kSum) {
    using Word = AtomicWord<T>;
    atomicAdd(reinterpret_cast<Word*>(target), static_cast<Word>(value));
  } else if constexpr (!std::is_integral<T>::value) {
    CombineBySwapping<kReduce>(target, value);
  } else if constexpr (kReduce == IndexReduce::kAmax) {
    using Integer = AtomicInteger<T>;
    atomicMax(reinterpret_cast<Integer*>(target), static_cast<Integer>(value));
  } else {
    using Integer = AtomicInteger<T>;
    atomicMin(reinterpret_cast<Integer*>(target), static_cast<Integer>(value));
  }
}

template <typename T>
struct AtomicReduceArgs {
  SlotGroups groups;
  AxisView view;
  const T* updates;
  T* out;
};

// Without include_self, the slots that the index points to start from the
// identity of the reduction instead of x.
template <typename T, IndexReduce kReduce>
__global__ void __launch_bounds__(kGpuThreads)
    ClearSlotsGpuKernel(AtomicReduceArgs<T> args) {
  const int64_t work = OneLane::Work(args.view, args.groups.n);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<OneLane>(args.view, args.groups.n, w);
    const OneLane lane(args.view, mine.row_block, mine.chunk);
    const int64_t at = args.groups.slots[mine.item] * args.view.inner;
    args.out[lane.x.first + at] = IdentityOf<T, kReduce>();
  }
}

template <typename T, IndexReduce kReduce>
__global__ void __launch_bounds__(kGpuThreads)
    AtomicReduceGpuKernel(AtomicReduceArgs<T> args) {
  const int64_t work = OneLane::Work(args.view, args.groups.n);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<OneLane>(args.view, args.groups.n, w);
    const OneLane lane(args.view, mine.row_block, mine.chunk);
    const int64_t at = args.groups.slots[mine.item] * args.view.inner;
    AtomicCombine<kReduce>(
        args.out + lane.x.first + at,
        args.updates[lane.updates.first + mine.item * args.view.inner]);
  }
}

// `out` holds x.
template <typename T, IndexReduce kReduce>
void AtomicReduceGpu(const AtomicReduceArgs<T>& args,
                     bool include_self,
                     int multiprocessors,
                     GpuStream stream) {
  const int64_t work = OneLane::Work(args.view, args.groups.n);
  const unsigned grid = GridSize(work, multiprocessors);
  if (!include_self) {
    ClearSlotsGpuKernel<T, kReduce><<<grid, kGpuThreads, 0, stream>>>(args);
  }
  AtomicReduceGpuKernel<T, kReduce><<<grid, kGpuThreads, 0, stream>>>(args);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
