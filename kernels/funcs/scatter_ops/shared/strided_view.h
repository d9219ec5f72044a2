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

// The part of x that select_scatter and diagonal_scatter replace: where in x
// its elements lie, and where in the values that replace them.

#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/view_scatter_checks.h"

namespace phi::funcs::scatter_ops {

// Elements of a row-major tensor at fixed strides, ordered as they lie in it,
// and the position of each in a dense tensor of values.
class StridedView {
 public:
  struct Axis {
    int64_t dim;
    int64_t stride;
    int64_t value_stride;
  };

  explicit StridedView(int64_t offset) : offset_(offset) {}

  // Adds the next inner axis: `stride` in x, `value_stride` in the values.
  // The elements of one index of an outer axis must all lie before those of
  // the next.
  void Append(int64_t dim, int64_t stride, int64_t value_stride) {
    numel_ *= dim;
    if (dim == 1) return;
    Axis* last = rank_ > 0 ? &axes_[rank_ - 1] : nullptr;
    if (last != nullptr && last->stride == dim * stride &&
        last->value_stride == dim * value_stride) {
      *last = {last->dim * dim, stride, value_stride};
      return;
    }
    axes_[rank_++] = {dim, stride, value_stride};
  }

  int64_t numel() const { return numel_; }

  // The first element, in x.
  HOSTDEVICE int64_t offset() const { return offset_; }

  // Axes are ordered from the outermost to the innermost.
  HOSTDEVICE int rank() const { return rank_; }
  HOSTDEVICE const Axis& axis(int i) const { return axes_[i]; }

  // Elements next to each other in x.
  int64_t run() const {
    if (rank_ == 0) return 1;
    return axes_[rank_ - 1].stride == 1 ? axes_[rank_ - 1].dim : 1;
  }

  // The same elements of x, all with the first of the values.
  StridedView WithOneValue() const {
    StridedView view = *this;
    for (int i = 0; i < rank_; ++i) view.axes_[i].value_stride = 0;
    return view;
  }

  // How many elements lie before `position` of x.
  int64_t CountBefore(int64_t position) const {
    if (numel_ == 0 || position <= offset_) return 0;
    int64_t left = position - offset_;
    int64_t reach = 0;  // from the first to the last element of one index
    for (int i = 0; i < rank_; ++i)
      reach += (axes_[i].dim - 1) * axes_[i].stride;
    int64_t count = 0;
    int64_t inner = numel_;
    for (int i = 0; i < rank_ && left > 0; ++i) {
      const Axis& axis = axes_[i];
      inner /= axis.dim;
      reach -= (axis.dim - 1) * axis.stride;
      const int64_t whole =
          left <= reach ? 0 : (left - reach - 1) / axis.stride + 1;
      if (whole >= axis.dim) return count + axis.dim * inner;
      count += whole * inner;
      left -= whole * axis.stride;
    }
    return rank_ == 0 ? 1 : count;
  }

  // Cuts elements [begin, end) into runs along the innermost axis and calls
  // f(position in x, stride, position in values, value stride, length).
  template <typename F>
  void ForEachRun(int64_t begin, int64_t end, const F& f) const {
    if (begin >= end) return;
    if (rank_ == 0) {
      f(offset_, 1, 0, 1, 1);
      return;
    }
    int64_t index[DDim::kMaxRank];
    int64_t at = offset_;
    int64_t from = 0;
    for (int64_t i = rank_ - 1, rest = begin; i >= 0; --i) {
      index[i] = i > 0 ? rest % axes_[i].dim : rest;
      rest /= axes_[i].dim;
      at += index[i] * axes_[i].stride;
      from += index[i] * axes_[i].value_stride;
    }
    const Axis& inner = axes_[rank_ - 1];
    while (true) {
      const int64_t n = std::min(inner.dim - index[rank_ - 1], end - begin);
      f(at, inner.stride, from, inner.value_stride, n);
      begin += n;
      if (begin >= end) return;
      at -= index[rank_ - 1] * inner.stride;
      from -= index[rank_ - 1] * inner.value_stride;
      index[rank_ - 1] = 0;
      NextOuter(index, &at, &from);
    }
  }

 private:
  void NextOuter(int64_t* index, int64_t* at, int64_t* from) const {
    for (int i = rank_ - 2; i >= 0; --i) {
      *at += axes_[i].stride;
      *from += axes_[i].value_stride;
      if (++index[i] < axes_[i].dim) return;
      *at -= axes_[i].dim * axes_[i].stride;
      *from -= axes_[i].dim * axes_[i].value_stride;
      index[i] = 0;
    }
  }

  int64_t offset_;
  int64_t numel_ = 1;
  int rank_ = 0;
  Axis axes_[DDim::kMaxRank];
};

// Row-major strides, in elements.
inline std::vector<int64_t> DenseStrides(const DDim& dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (int i = dims.size() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

// x without `axis`, at `index` of it.
inline StridedView SelectView(const DDim& x_dims,
                              const DDim& values_dims,
                              int axis,
                              int64_t index) {
  const int selected = CheckSelectScatter(x_dims, values_dims, axis, index);
  const std::vector<int64_t> strides = DenseStrides(x_dims);
  const std::vector<int64_t> value_strides = DenseStrides(values_dims);
  if (index < 0) index += x_dims[selected];
  StridedView view(index * strides[selected]);
  for (int i = 0, j = 0; i < x_dims.size(); ++i) {
    if (i == selected) continue;
    view.Append(x_dims[i], strides[i], value_strides[j++]);
  }
  return view;
}

}  // namespace phi::funcs::scatter_ops
