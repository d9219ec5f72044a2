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

// A StridedView on the device: which elements of x it has, and where each one's
// value is.

#pragma once

#include <algorithm>
#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// An element of a view: where it is in x and in the values.
struct ViewPlace {
  int64_t position;
  int64_t value;
};

// An element of a view within a pack of x.
struct PackPlace {
  int lane = -1;      // within the pack; negative if the view has none
  int before = 0;     // elements before it on the innermost axis, capped
  int64_t value = 0;  // where its value is
};

// As a kernel argument.
struct GpuStridedView {
  struct Axis {
    int64_t dim;
    int64_t stride;
    int64_t value_stride;
    Divisor by_dim;
    Divisor by_stride;
  };

  // More than the lanes of any pack: enough to tell that a step leaves it.
  static constexpr int kBeyondPack = 16;

  int64_t numel;
  int64_t offset;
  bool is_narrow;
  int rank = 0;
  int inner_step = kBeyondPack;  // of the innermost axis, capped
  int64_t inner_value_stride = 0;
  Axis axes[DDim::kMaxRank];

  GpuStridedView(const StridedView& view, int64_t x_numel)
      : numel(view.numel()),
        offset(view.offset()),
        is_narrow(x_numel < kNarrowEnd) {
    if (numel == 0) {
      offset = x_numel;  // beyond every element
      return;
    }
    for (int a = 0; a < view.rank(); ++a) {
      const StridedView::Axis& axis = view.axis(a);
      axes[rank++] = {axis.dim,
                      axis.stride,
                      axis.value_stride,
                      Divisor(axis.dim),
                      Divisor(axis.stride)};
      inner_step =
          static_cast<int>(std::min<int64_t>(axis.stride, kBeyondPack));
      inner_value_stride = axis.value_stride;
    }
  }

  // Whether elements k to k + n - 1, for k a multiple of n, are neighbours in x
  // and a pack of the values.
  bool HasRunsOf(int n) const {
    if (n == 1) return true;
    if (rank == 0) return false;
    const Axis& inner = axes[rank - 1];
    bool runs =
        inner.stride == 1 && inner.value_stride == 1 && inner.dim % n == 0;
    for (int a = 0; a < rank - 1; ++a) {
      runs = runs && axes[a].value_stride % n == 0;
    }
    return runs;
  }

  // Element k in the order of x.
  __device__ ViewPlace Element(int64_t k) const {
    return is_narrow ? ElementIn(static_cast<int32_t>(k)) : ElementIn(k);
  }

  // The last element among positions [begin, end) of x.
  __device__ PackPlace LastIn(int64_t begin, int64_t end) const {
    return is_narrow ? LastAmong(static_cast<int32_t>(begin),
                                 static_cast<int32_t>(end))
                     : LastAmong(begin, end);
  }

  // Goes to the element before, within the pack that begins at `begin`.
  __device__ void StepBack(int64_t begin, PackPlace* place) const {
    if (place->before > 0) {
      --place->before;
      place->lane -= inner_step;
      place->value -= inner_value_stride;
    } else {
      *place = LastIn(begin, begin + place->lane);
    }
  }

  // Whether the view has all n elements of a pack, as one run, of which `last`
  // is the last in the pack.
  __device__ bool Covers(const PackPlace& last, int n) const {
    return last.lane == n - 1 &&
           (n == 1 || (inner_step == 1 && last.before >= n - 1));
  }

 private:
  template <typename Index>
  __device__ ViewPlace ElementIn(Index k) const {
    Index position = static_cast<Index>(offset);
    Index value = 0;
#pragma unroll 1
    for (int a = rank - 1; a >= 0; --a) {
      const Index outer = a > 0 ? axes[a].by_dim.Divide(k) : 0;
      const Index index = k - outer * static_cast<Index>(axes[a].dim);
      position += index * static_cast<Index>(axes[a].stride);
      value += index * static_cast<Index>(axes[a].value_stride);
      k = outer;
    }
    return {position, value};
  }

  // From the outermost axis on, the largest index that does not pass the end
  // is the right one, since all of an index lies before the next.
  template <typename Index>
  __device__ PackPlace LastAmong(Index begin, Index end) const {
    PackPlace place;
    Index rest = end - 1 - static_cast<Index>(offset);
    if (rest < 0) return place;
    Index index = 0;
    Index value = 0;
#pragma unroll 1
    for (int a = 0; a < rank; ++a) {
      const Index last = static_cast<Index>(axes[a].dim - 1);
      index = min(axes[a].by_stride.Divide(rest), last);
      rest -= index * static_cast<Index>(axes[a].stride);
      value += index * static_cast<Index>(axes[a].value_stride);
    }
    const Index position = end - 1 - rest;
    if (position < begin) return place;
    place.lane = static_cast<int>(position - begin);
    place.before = static_cast<int>(min(index, Index{kBeyondPack}));
    place.value = value;
    return place;
  }
};

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
