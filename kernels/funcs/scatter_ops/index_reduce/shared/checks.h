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

// What the operators that reduce slices by an index accept: names of
// reductions, dtypes and shapes.

#pragma once

#include <cstdint>
#include <string>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi::funcs::scatter_ops {

template <typename Meta>
void CheckIndexDtype(const char* op, const Meta& index) {
  if (index.dtype() != DataType::INT32 && index.dtype() != DataType::INT64) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) the dtype of index must be int32 or int64, but it is %s.",
        op,
        DataTypeToString(index.dtype())));
  }
}

enum class IndexReduce { kAssign, kSum, kMul, kMean, kAmax, kAmin };

// The reductions that are linear in x and updates.
inline IndexReduce ParseIndexScatter(const std::string& reduce) {
  if (reduce == "assign") return IndexReduce::kAssign;
  if (reduce == "sum") return IndexReduce::kSum;
  if (reduce == "mean") return IndexReduce::kMean;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(index_scatter) reduce must be assign, sum or mean, but it is '%s'.",
      reduce));
}

// The others.
inline IndexReduce ParseIndexReduce(const std::string& reduce) {
  if (reduce == "mul") return IndexReduce::kMul;
  if (reduce == "amax") return IndexReduce::kAmax;
  if (reduce == "amin") return IndexReduce::kAmin;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(index_reduce) reduce must be mul, amax or amin, but it is '%s'.",
      reduce));
}

// bool has no product and no mean, complex numbers have no order.
constexpr bool HasReduce(IndexReduce reduce, bool is_bool, bool is_complex) {
  if (reduce == IndexReduce::kAssign || reduce == IndexReduce::kSum) {
    return true;
  }
  const bool ordered =
      reduce == IndexReduce::kAmax || reduce == IndexReduce::kAmin;
  return !is_bool && !(ordered && is_complex);
}

inline void CheckReduceDtype(const char* op,
                             IndexReduce reduce,
                             const std::string& name,
                             DataType dtype) {
  const bool is_complex =
      dtype == DataType::COMPLEX64 || dtype == DataType::COMPLEX128;
  if (!HasReduce(reduce, dtype == DataType::BOOL, is_complex)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) reduce '%s' is not defined for an x of dtype %s: mul, mean, "
        "amax and amin do not take bool, amax and amin do not take complex "
        "numbers.",
        op,
        name,
        DataTypeToString(dtype)));
  }
}

// mul, amax and amin of integers.
[[noreturn]] inline void ThrowNoGradient() {
  PADDLE_THROW(common::errors::Unimplemented(
      "(index_reduce) mul, amax and amin have gradients for floating point and "
      "complex dtypes only."));
}

// The length of an index of shape [], [n] or [n, 1]; -1 if not known yet.
inline int64_t IndexLength(const char* op, const DDim& index) {
  const bool column = index.size() == 2 && SameDim(index[1], 1);
  if (index.size() > 1 && !column) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) index must have shape [], [n] or [n, 1], but it has shape "
        "[%s].",
        op,
        index));
  }
  return index.size() == 0 ? 1 : index[0];
}

// `updates` like x, but along `axis` as long as the index or longer; without
// the axis where the index is 0-D and names `one` slice.
inline bool FitsUpdates(
    const DDim& x, const DDim& updates, int axis, bool one, int64_t length) {
  if (updates.size() != x.size() - one) return false;
  for (int i = 0; i < x.size(); ++i) {
    const int at = one && i > axis ? i - 1 : i;
    if (i != axis && !SameDim(x[i], updates[at])) return false;
  }
  return one || length < 0 || updates[axis] < 0 || updates[axis] >= length;
}

inline void CheckIndexReduceDims(const char* op,
                                 const DDim& x,
                                 const DDim& index,
                                 const DDim& updates,
                                 int64_t axis) {
  PADDLE_ENFORCE_GE(
      x.size(),
      1,
      common::errors::InvalidArgument(
          "(%s) x must have 1 dim or more, but it is 0-D: reshape it to [1] "
          "first.",
          op));
  const int dim = NormalizeAxis(op, "axis", axis, x.size());
  const int64_t length = IndexLength(op, index);
  const bool one = index.size() == 0;
  if (!FitsUpdates(x, updates, dim, one, length)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) updates must have the shape of x, [%s], %s axis %d%s, but it "
        "has shape [%s] and index has shape [%s].",
        op,
        x,
        one ? "without" : "but for",
        dim,
        one ? ", since index is 0-D"
            : ", where it must be as long as index or longer",
        updates,
        index));
  }
}

// scatter returns x then, whatever the others are: to_tensor([]), which is of
// float32, is a fine index.
template <typename Tensor>
bool HasNothingToScatter(const Tensor& x,
                         const Tensor& index,
                         const Tensor& updates) {
  return x.numel() == 0 || index.numel() == 0 || updates.numel() == 0;
}

// Everything but the values of the index; dims may be unknown.
template <typename Meta>
void CheckIndexReduce(const char* op,
                      IndexReduce reduce,
                      const std::string& name,
                      const Meta& x,
                      const Meta& index,
                      const Meta& updates,
                      int64_t axis) {
  CheckIndexDtype(op, index);
  CheckSameDtype(op, x, "updates", updates);
  CheckReduceDtype(op, reduce, name, x.dtype());
  CheckIndexReduceDims(op, x.dims(), index.dims(), updates.dims(), axis);
}

}  // namespace phi::funcs::scatter_ops
