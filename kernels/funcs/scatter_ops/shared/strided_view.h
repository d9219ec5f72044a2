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

// A part of a tensor that other values replace: where in the tensor its
// elements lie, and where in the values.

#pragma once

#include <cstdint>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi::funcs::scatter_ops {

// Elements at fixed strides of a row-major tensor, and the position of each in
// a dense tensor of values.
class StridedView {
 public:
  struct Axis {
    int64_t dim;
    int64_t stride;
    int64_t value_stride;
    int64_t reach;  // in x, from the first to the last element of one index
  };

  explicit StridedView(int64_t offset) : offset_(offset) {}

  // Adds the next inner axis: `stride` in x, `value_stride` in the values. A
  // view has one at least; others of one index are left out.
  void Append(int64_t dim, int64_t stride, int64_t value_stride) {
    numel_ *= dim;
    if (dim == 1 && !axes_.empty()) return;
    for (Axis& outer : axes_) outer.reach += (dim - 1) * stride;
    axes_.push_back({dim, stride, value_stride, 0});
  }

  int64_t numel() const { return numel_; }

  // The first element, in x.
  int64_t offset() const { return offset_; }

  // Axes are ordered from the outermost to the innermost.
  int rank() const { return static_cast<int>(axes_.size()); }
  const Axis& axis(int i) const { return axes_[i]; }

  // Cuts the elements that lie in [begin, end) of x into runs along the
  // innermost axis and calls
  // f(position in x, stride, position in values, value stride, length).
  template <typename F>
  void ForEachRun(int64_t begin, int64_t end, const F& f) const {
    Visit(0, offset_, 0, begin, end, f);
  }

 private:
  // The same for the axes from `i` on. Their first element is `at` in x and
  // `from` in the values.
  template <typename F>
  void Visit(int i,
             int64_t at,
             int64_t from,
             int64_t begin,
             int64_t end,
             const F& f) const {
    const Axis& axis = axes_[i];
    int64_t k = IndexesWithin(axis, begin - axis.reach - at);
    const int64_t last = IndexesWithin(axis, end - at);
    at += k * axis.stride;
    from += k * axis.value_stride;
    if (i == rank() - 1) {
      if (k < last) f(at, axis.stride, from, axis.value_stride, last - k);
      return;
    }
    for (; k < last; ++k) {
      Visit(i + 1, at, from, begin, end, f);
      at += axis.stride;
      from += axis.value_stride;
    }
  }

  // How many indexes of an axis lie less than `distance` behind its first one.
  static int64_t IndexesWithin(const Axis& axis, int64_t distance) {
    if (distance <= 0) return 0;
    if (distance > (axis.dim - 1) * axis.stride) return axis.dim;
    return (distance - 1) / axis.stride + 1;
  }

  int64_t offset_;
  int64_t numel_ = 1;
  std::vector<Axis> axes_;
};

// True unless the two shapes are known to differ.
inline bool SameDims(const DDim& a, const DDim& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    if (!SameDim(a[i], b[i])) return false;
  }
  return true;
}

// The product of the dims [begin, end).
inline int64_t ProductOf(const DDim& dims, int begin, int end) {
  return common::product(common::slice_ddim(dims, begin, end));
}

}  // namespace phi::funcs::scatter_ops
