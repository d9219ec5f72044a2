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

// Where an operand holds an element of a row-major output: the index
// arithmetic of kernels that read along strides.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Numbers below this one, and what is made of them, are kept in 32 bits, in
// which a device multiplies four times as fast as in 64.
constexpr int64_t kNarrowEnd = int64_t{1} << 31;

// Division by a number that the host knows, as one multiplication: dividing
// costs a device ten times as much (Granlund and Montgomery, "Division by
// Invariant Integers using Multiplication", 1994).
//
// With 2^shift the first power of two that is not below the divisor, the factor
// for 64 bits is 2^(63 + shift) / divisor, rounded down, plus 1. It has 64 bits
// and is too large by no more than 1: for n below 2^63, n * factor is then too
// large by less than 2^(63 + shift) / divisor, which does not reach the next
// quotient. The factor for 32 bits is the same with 31 for 63.
class Divisor {
 public:
  Divisor() : wide_(0), narrow_(0), shift_(0) {}

  explicit Divisor(int64_t divisor) : shift_(0) {
    const uint64_t by = static_cast<uint64_t>(divisor);
    while ((uint64_t{1} << shift_) < by) ++shift_;
    wide_ = Factor(63, by);
    // Numbers below kNarrowEnd have a quotient of 0 by larger divisors.
    narrow_ = divisor < kNarrowEnd ? static_cast<uint32_t>(Factor(31, by)) : 0u;
  }

  // n / divisor, rounded down, for 0 <= n.
  __device__ int64_t Divide(int64_t n) const {
    const uint64_t twice = static_cast<uint64_t>(n) * 2;
    return static_cast<int64_t>(__umul64hi(twice, wide_) >> shift_);
  }
  __device__ int32_t Divide(int32_t n) const {
    const uint32_t twice = static_cast<uint32_t>(n) * 2;
    return static_cast<int32_t>(__umulhi(twice, narrow_) >> shift_);
  }

 private:
  uint64_t Factor(int bits, uint64_t by) const {
    const uint64_t top = uint64_t{1} << bits;
    uint64_t factor = top / by;
    uint64_t rest = top % by;
    for (int i = 0; i < shift_; ++i) {
      rest *= 2;
      factor *= 2;
      if (rest >= by) {
        rest -= by;
        ++factor;
      }
    }
    return factor + 1;
  }

  uint64_t wide_;
  uint32_t narrow_;
  int shift_;
};

// Where an operand holds an output element, and how many elements, this one
// included, are left of the innermost axis.
struct OperandPlace {
  int64_t offset;
  int64_t left;
};

// Maps row-major numbers to offsets in an operand: a BroadcastView as a kernel
// argument, or axes of the caller's choice.
class OperandView {
 public:
  OperandView() = default;

  explicit OperandView(const BroadcastView& view) {
    for (int i = 0; i < view.rank(); ++i) Append(view.dim(i), view.stride(i));
  }

  // Adds the next inner axis.
  void Append(int64_t dim, int64_t stride) {
    axes_[rank_++] = {dim, stride, Divisor(dim)};
    inner_stride_ = stride;
    numel_ *= dim;
    reach_ += (dim - 1) * stride;
    is_narrow_ = numel_ < kNarrowEnd && reach_ < kNarrowEnd;
    is_flat_ = rank_ == 1 && stride == 1;
  }

  // The operand is laid out like the output.
  bool is_flat() const { return is_flat_; }

  // Neighbours along the innermost axis share an element of the operand.
  __device__ bool RepeatsAlongRows() const { return inner_stride_ == 0; }

  __device__ OperandPlace Locate(int64_t i) const {
    if (is_flat_) return {i, numel_ - i};
    return is_narrow_ ? LocateIn(static_cast<int32_t>(i)) : LocateIn(i);
  }

  __device__ int64_t Offset(int64_t i) const { return Locate(i).offset; }

 private:
  struct Axis {
    int64_t dim = 1;
    int64_t stride = 0;
    Divisor by_dim;
  };

  template <typename Index>
  __device__ OperandPlace LocateIn(Index i) const {
    Index offset = 0;
    Index left = 0;
#pragma unroll 1
    for (int a = rank_ - 1; a >= 0; --a) {
      const Axis& axis = axes_[a];
      const Index dim = static_cast<Index>(axis.dim);
      const Index outer = a > 0 ? axis.by_dim.Divide(i) : 0;
      const Index index = i - outer * dim;
      offset += index * static_cast<Index>(axis.stride);
      if (a == rank_ - 1) left = dim - index;
      i = outer;
    }
    return {offset, left};
  }

  int rank_ = 0;
  bool is_flat_ = false;
  bool is_narrow_ = true;
  int64_t inner_stride_ = 0;
  int64_t numel_ = 1;
  int64_t reach_ = 0;  // the largest offset
  Axis axes_[DDim::kMaxRank + 1];
};

// One operand of a kernel, read along the output. Without data: zeros.
template <typename Word>
struct GpuOperand {
  const Word* data = nullptr;
  OperandView view;
};

template <typename Word, typename Tensor>
GpuOperand<Word> OperandAlong(const DDim& dims, const Tensor& tensor) {
  return {static_cast<const Word*>(tensor.data()),
          OperandView({dims, tensor.dims()})};
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
