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

// The forward pass of the operators that reduce by an index, on the GPU: a
// thread reduces one element of a slot, in the order of the index. No atomics:
// the same bits in every run.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// What a reduction is accumulated in; kSum serves means as well. It is wide
// enough for these; a sum of integers, cut down to T, is the one that wraps
// around in T.
template <typename T, IndexReduce kReduce>
struct GpuReduceType : ReduceType<T, kReduce> {};
template <typename T>
struct GpuReduceType<T, IndexReduce::kSum> : ReduceType<T, IndexReduce::kMean> {
};
// bool has no mean.
template <>
struct GpuReduceType<bool, IndexReduce::kSum> {
  using type = bool;
};

// What of an element goes into a reduction: all of it. At() gets a functor for
// the element of a slot that lies at an offset.
template <typename T>
struct WholeElement {
  using Out = T;

  __device__ WholeElement At(int64_t) const { return {}; }
  __device__ T operator()(T update) const { return update; }
  __device__ T OfX(T element) const { return element; }
};

// Reduces each slot of x and its updates to a slot of out. kAssign takes the
// last update, kSum is for means as well. A sum without x starts from zero,
// which turns a lone -0.0 into 0.0.
template <typename T, IndexReduce kReduce, typename Map = WholeElement<T>>
struct SlotReducer {
  using Out = typename Map::Out;
  using Sum = typename GpuReduceType<Out, kReduce>::type;

  SlotGroups groups;
  AxisView view;
  const T* x;
  const T* updates;
  Out* out;
  bool include_self = true;
  bool mean = false;
  Map map = {};

  __device__ void operator()(const Lane& lane, int64_t slot) const {
    const int64_t at = lane.x + slot * view.inner;
    const int64_t begin = groups.begin(slot);
    const int64_t end = groups.ends[slot];
    if (begin == end) {
      Keep(at);
    } else if constexpr (kReduce == IndexReduce::kAssign) {
      out[at] = Update(lane, end - 1);
    } else {
      out[at] = static_cast<Out>(
          DividedBy(end - begin + include_self, Reduced(lane, at, begin, end)));
    }
  }

 private:
  __device__ void Keep(int64_t at) const {
    if constexpr (std::is_same<Out, T>::value) {
      if (out != x) out[at] = x[at];
    }
  }

  __device__ T Update(const Lane& lane, int64_t entry) const {
    return updates[lane.updates + groups.order[entry] * view.inner];
  }

  __device__ Sum Reduced(const Lane& lane,
                         int64_t at,
                         int64_t begin,
                         int64_t end) const {
    const Map of = map.At(at);
    Sum sum = static_cast<Sum>(Out{});
    if (include_self) {
      sum = static_cast<Sum>(of.OfX(x[at]));
    } else if (kReduce != IndexReduce::kSum) {
      sum = static_cast<Sum>(of(Update(lane, begin++)));
    }
    for (; begin < end; ++begin) {
      sum = Combine<kReduce>(sum, static_cast<Sum>(of(Update(lane, begin))));
    }
    return sum;
  }

  __device__ Sum DividedBy(int64_t count, Sum sum) const {
    if constexpr (kReduce == IndexReduce::kSum) {
      if (mean) return DivideByCount(sum, count);
    }
    return sum;
  }
};

// The kernel of an operator that has the reductions of the set `Reduces`.
template <typename T, typename Reduces>
void IndexReduceInto(const GPUContext& dev_ctx,
                     Reduces reduces,
                     const IndexReduceCall& call,
                     const DenseTensor& x,
                     const DenseTensor& index,
                     const DenseTensor& updates,
                     DenseTensor* out) {
  const AxisView view(x.dims(), updates.dims(), call.axis);
  const T* x_data = DataOrNull<T>(x);
  T* out_data = dev_ctx.template Alloc<T>(out);
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  const bool empty = bytes == 0 || index.numel() == 0;
  const IndexOnGpu sorted(dev_ctx, call.op, index, view.size, !empty);
  if (empty) {
    CopyBytes(dev_ctx, x_data, bytes, out_data);
    return;
  }
  DenseTensor copy;
  const T* update_data = ReadApart<T>(dev_ctx, updates, out_data, bytes, &copy);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr IndexReduce kGiven = decltype(constant)::value;
    constexpr bool kMean = kGiven == IndexReduce::kMean;
    ForEachLane(dev_ctx,
                view,
                view.size,
                SlotReducer < T,
                kMean ? IndexReduce::kSum
                      : kGiven > {sorted.groups(),
                                  view,
                                  x_data,
                                  update_data,
                                  out_data,
                                  call.include_self,
                                  kMean});
  });
}

}  // namespace phi::funcs::scatter_ops
