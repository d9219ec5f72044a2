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

// Argument checks of the reductions by an index, for InferMeta and kernels:
// names of reductions, dtypes and shapes. Users call paddle.scatter.

#pragma once

#include <cstdint>
#include <string>

#include "paddle/phi/common/data_type.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"

namespace phi::funcs::scatter_ops {

template <typename Meta>
void CheckIndexDtype(const Meta& index) {
  if (index.dtype() != DataType::INT32 && index.dtype() != DataType::INT64) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The dtype of index should be int32 or int64, but received "
        "%s.",
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
      "(index_scatter) The value of reduce should be assign, sum or mean, but "
      "received '%s'.",
      reduce));
}

// The nonlinear reductions.
inline IndexReduce ParseIndexReduce(const std::string& reduce) {
  if (reduce == "mul") return IndexReduce::kMul;
  if (reduce == "amax") return IndexReduce::kAmax;
  if (reduce == "amin") return IndexReduce::kAmin;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(index_reduce) The value of reduce should be mul, amax or amin, but "
      "received '%s'.",
      reduce));
}

// bool has no product and no mean; complex numbers are not ordered.
constexpr bool HasReduce(IndexReduce reduce, bool is_bool, bool is_complex) {
  if (reduce == IndexReduce::kAssign || reduce == IndexReduce::kSum) {
    return true;
  }
  const bool ordered =
      reduce == IndexReduce::kAmax || reduce == IndexReduce::kAmin;
  return !is_bool && !(ordered && is_complex);
}

inline void CheckReduceDtype(IndexReduce reduce,
                             const std::string& name,
                             DataType dtype) {
  const bool is_complex =
      dtype == DataType::COMPLEX64 || dtype == DataType::COMPLEX128;
  if (!HasReduce(reduce, dtype == DataType::BOOL, is_complex)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The dtype of x should be %s for reduce '%s', but received "
        "%s.",
        dtype == DataType::BOOL ? "a numeric type" : "a real type",
        name,
        DataTypeToString(dtype)));
  }
}

// Throws unless index is 1-D and updates has the dims of x with the length of
// the index along `axis`. Unknown dims pass.
inline void CheckIndexReduceDims(const DDim& x,
                                 const DDim& index,
                                 const DDim& updates,
                                 int64_t axis) {
  if (x.size() == 0) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The rank of x should be at least 1, but received 0."));
  }
  const int dim = NormalizeAxis("scatter", "axis", axis, x.size());
  if (index.size() != 1) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The rank of index should be 1, but received the shape "
        "[%s].",
        index));
  }
  DDim expected = x;
  expected[dim] = index[0];
  if (!CompatibleDims(updates, expected)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The shape of updates should be [%s] for x of shape [%s], "
        "axis %d and index of shape [%s], but received [%s].",
        expected,
        x,
        dim,
        index,
        updates));
  }
}

// Checks everything except the values of the index. Unknown dims pass.
template <typename Meta>
void CheckIndexReduce(IndexReduce reduce,
                      const std::string& name,
                      const Meta& x,
                      const Meta& index,
                      const Meta& updates,
                      int64_t axis) {
  // paddle.to_tensor([]) has dtype float32.
  if (index.numel() != 0) CheckIndexDtype(index);
  if (updates.numel() != 0) CheckSameDtype("scatter", x, "updates", updates);
  CheckReduceDtype(reduce, name, x.dtype());
  CheckIndexReduceDims(x.dims(), index.dims(), updates.dims(), axis);
}

}  // namespace phi::funcs::scatter_ops
