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
#include <cstring>
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

// Whether atomics are allowed, and faster than sorting. The order of integers
// does not change a bit of the result. Not along the last of several axes: the
// rows share the sorted order, in which a thread reads neighbours.
template <typename T>
bool AtomicsPay(const IndexReduceCall& call, const AxisView& view) {
  return (std::is_integral<T>::value || !call.deterministic) &&
         (view.inner > 1 || view.outer == 1) &&
         view.outer * view.inner * static_cast<int64_t>(sizeof(T)) <=
             kSortBytes;
}

// Paddle's atomics lose a NaN. Compares bits, in which a NaN is equal to
// itself: the loop ends for NaN too.
template <IndexReduce kReduce, typename T>
__device__ inline void CombineBySwapping(T* target, T value) {
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  Word* words = reinterpret_cast<Word*>(target);
  Word seen = *reinterpret_cast<volatile Word*>(words);
  while (true) {
    T old;
    std::memcpy(&old, &seen, sizeof(T));
    const T combined = Combine<kReduce>(old, value);
    Word wanted;
    std::memcpy(&wanted, &combined, sizeof(T));
    if (wanted == seen) return;
    const Word found = atomicCAS(words, seen, wanted);
    if (found == seen) return;
    seen = found;
  }
}

// Without include_self, the slots that the index points to first get the
// identity of the reduction instead of x: kClear.
template <typename T, IndexReduce kReduce, bool kClear>
struct AtomicReduce {
  SlotGroups groups;
  AxisView view;
  const T* updates;
  T* out;

  __device__ void operator()(const OneLane& lane, int64_t position) const {
    T* target = out + lane.x.first + groups.slots[position] * view.inner;
    if constexpr (kClear) {
      *target = IdentityOf<T, kReduce>();
      return;
    }
    const T value = updates[lane.updates.first + position * view.inner];
    if constexpr (kReduce == IndexReduce::kSum) {
      CudaAtomicAdd(target, value);
    } else if constexpr (!std::is_integral<T>::value) {
      CombineBySwapping<kReduce>(target, value);
    } else if constexpr (kReduce == IndexReduce::kAmax) {
      CudaAtomicMax(target, value);
    } else {
      CudaAtomicMin(target, value);
    }
  }
};

template <typename T, IndexReduce kReduce, bool kClear>
void QueueAtomics(const GPUContext& dev_ctx,
                  const AtomicReduce<T, kReduce, kClear>& body) {
  const EachLane<OneLane, AtomicReduce<T, kReduce, kClear>> each(
      body.view, body.groups.n, body);
  ForEach(dev_ctx, each.work(), each);
}

// `out` holds x.
template <typename T, IndexReduce kReduce>
void AtomicReduceGpu(const GPUContext& dev_ctx,
                     const SlotGroups& groups,
                     const AxisView& view,
                     bool include_self,
                     const T* updates,
                     T* out) {
  if (!include_self) {
    QueueAtomics<T, kReduce, true>(dev_ctx, {groups, view, updates, out});
  }
  QueueAtomics<T, kReduce, false>(dev_ctx, {groups, view, updates, out});
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
