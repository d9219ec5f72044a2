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

// A lane is one element of a slot. A thread of the index_reduce kernels handles
// one, or neighbours that one 16-byte access moves.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/aligned_vector.h"
#include "paddle/phi/kernels/funcs/fast_divmod.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/call.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// kWidth neighbours in a row of [outer, size, inner].
template <int kWidth>
struct Lanes {
  static constexpr int kCount = kWidth;

  int64_t x;        // where the first lies in slot 0
  int64_t updates;  // where it lies in position 0
  int64_t column;   // where it lies in the flattened [outer, inner]

  __device__ Lanes(const AxisView& view, int64_t row, int64_t first)
      : x(row * view.size * view.inner + first),
        updates(row * view.updates_size * view.inner + first),
        column(row * view.inner + first) {}

  // Calls f with the number of each lane. Unrolled: lanes are registers.
  template <typename F>
  __device__ static void Each(const F& f) {
#pragma unroll
    for (int l = 0; l < kWidth; ++l) f(l);
  }
};

// Calls body(lanes, item) for each of `items` slots or positions and each of
// their lanes, in the order of the memory of x.
template <int kWidth, typename Body>
struct EachLane {
  AxisView view;
  int64_t items;
  int64_t chunks;  // of a slot
  Body body;
  FastDivMod<int64_t> by_items = FastDivMod<int64_t>(items);
  FastDivMod<int64_t> by_chunks = FastDivMod<int64_t>(chunks);

  __device__ void operator()(int64_t w) const {
    const int64_t rest = by_chunks.Div(w);
    const int64_t row = by_items.Div(rest);
    body(Lanes<kWidth>(view, row, (w - rest * chunks) * kWidth),
         rest - row * items);
  }
};

template <int kWidth, typename Body>
void QueueEachLane(const GPUContext& dev_ctx,
                   const AxisView& view,
                   int64_t items,
                   const Body& body) {
  const int64_t chunks = view.inner / kWidth;
  ForEach(dev_ctx,
          view.outer * items * chunks,
          EachLane<kWidth, Body>{view, items, chunks, body});
}

// As many lanes of T at once as suit the shapes and the pointers whose lanes
// are read or written, which may be null. There must be an item, and x must
// have elements.
template <typename T, typename Body, typename... Pointers>
void ForEachLane(const GPUContext& dev_ctx,
                 const AxisView& view,
                 int64_t items,
                 const Body& body,
                 const Pointers*... pointers) {
  constexpr int N = PackSize<T>();
  if (view.inner % N == 0 && (IsAligned(pointers, 16) && ...)) {
    QueueEachLane<N>(dev_ctx, view, items, body);
  } else {
    QueueEachLane<1>(dev_ctx, view, items, body);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
