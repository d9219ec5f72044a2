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
// last update.
template <typename T, IndexReduce kReduce, typename Map = WholeElement<T>>
struct SlotReducer {
  using Out = typename Map::Out;

  SlotGroups groups;
  AxisView view;
  const T* x;
  const T* updates;
  Out* out;
  bool include_self = true;
  Map map = {};

  __device__ void operator()(const Lane& lane, int64_t slot) const {
    const int64_t at = lane.x + slot * view.inner;
    const int64_t begin = groups.begin(slot);
    const int64_t end = groups.ends[slot];
    if (begin == end) {
      Keep(at);
    } else if constexpr (kReduce == IndexReduce::kAssign) {
      out[at] = Update(lane, end - 1);
    } else if (SumsWide<Out, kReduce>(end - begin + include_self)) {
      out[at] = Reduced<WideSum>(lane, at, begin, end);
    } else {
      out[at] = Reduced<Sum>(lane, at, begin, end);
    }
  }

 private:
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  using Sum = typename ReduceType<Out, kReduce>::type;
  using WideSum =
      std::conditional_t<kMeans, typename WideSumOf<Out>::type, Sum>;

  __device__ void Keep(int64_t at) const {
    if constexpr (std::is_same<Out, T>::value) {
      if (out != x) out[at] = x[at];
    }
  }

  __device__ T Update(const Lane& lane, int64_t entry) const {
    return updates[lane.updates + groups.order[entry] * view.inner];
  }

  // A sum without x starts from zero, which turns a lone -0.0 into 0.0.
  template <typename Accumulator>
  __device__ Out
  Reduced(const Lane& lane, int64_t at, int64_t begin, int64_t end) const {
    const int64_t count = end - begin + include_self;
    const Map of = map.At(at);
    Accumulator sum{};
    if (include_self) {
      sum = static_cast<Accumulator>(of.OfX(x[at]));
    } else if (kReduce != IndexReduce::kSum && !kMeans) {
      sum = static_cast<Accumulator>(of(Update(lane, begin++)));
    }
#pragma unroll 1  // several at once would take more registers than there are
    for (; begin < end; ++begin) {
      const Out update = of(Update(lane, begin));
      sum = Combine<kReduce>(sum, static_cast<Accumulator>(update));
    }
    if constexpr (kMeans) {
      return static_cast<Out>(DivideByCount(sum, count));
    } else {
      return static_cast<Out>(sum);
    }
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
    constexpr IndexReduce kReduce = decltype(constant)::value;
    ForEachLane(dev_ctx,
                view,
                view.size,
                SlotReducer<T, kReduce>{sorted.groups(),
                                        view,
                                        x_data,
                                        update_data,
                                        out_data,
                                        call.include_self});
  });
}

}  // namespace phi::funcs::scatter_ops
