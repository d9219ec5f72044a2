// Argument checks of scatter, index_scatter and index_reduce, for InferMeta and
// kernels: names of reductions, dtypes and shapes. Messages begin with
// "(scatter)", since users reach all three through paddle.scatter.

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "paddle/phi/common/data_type.h"
#include "paddle/phi/core/dense_tensor.h"
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

inline IndexReduce ParseIndexReduce(const std::string& reduce) {
  if (reduce == "assign") return IndexReduce::kAssign;
  if (reduce == "sum") return IndexReduce::kSum;
  if (reduce == "mul") return IndexReduce::kMul;
  if (reduce == "mean") return IndexReduce::kMean;
  if (reduce == "amax") return IndexReduce::kAmax;
  if (reduce == "amin") return IndexReduce::kAmin;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(scatter) The value of reduce should be assign, sum, mul, mean, amax or "
      "amin, but received '%s'.",
      reduce));
}

// bool has only assign and sum; complex numbers have no amax and amin.
constexpr bool HasReduce(IndexReduce reduce, bool is_bool, bool is_complex) {
  if (reduce == IndexReduce::kAssign || reduce == IndexReduce::kSum) {
    return true;
  }
  const bool ordered =
      reduce == IndexReduce::kAmax || reduce == IndexReduce::kAmin;
  return !is_bool && !(ordered && is_complex);
}

// For index_scatter and index_reduce: throws unless `reduce` is defined for the
// dtype of x, index is 1-D, and updates has the shape of x with the length of
// index along `axis`. Unknown dims pass. The dtypes of empty index and updates
// are not checked: paddle.to_tensor([]) is float32.
template <typename Meta>
void CheckIndexReduce(const std::string& reduce,
                      const Meta& x,
                      const Meta& index,
                      const Meta& updates,
                      int64_t axis) {
  const IndexReduce parsed = ParseIndexReduce(reduce);
  if (index.numel() != 0) CheckIndexDtype(index);
  if (updates.numel() != 0) CheckSameDtype("scatter", x, "updates", updates);
  const bool is_bool = x.dtype() == DataType::BOOL;
  const bool is_complex =
      x.dtype() == DataType::COMPLEX64 || x.dtype() == DataType::COMPLEX128;
  if (!HasReduce(parsed, is_bool, is_complex)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The dtype of x should be %s for reduce '%s', but received "
        "%s.",
        parsed == IndexReduce::kAmax || parsed == IndexReduce::kAmin
            ? "a real type other than bool"
            : "a numeric type",
        reduce,
        DataTypeToString(x.dtype())));
  }
  if (x.dims().size() == 0) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The rank of x should be at least 1, but received 0."));
  }
  const int dim = NormalizeAxis("scatter", "axis", axis, x.dims().size());
  if (index.dims().size() != 1) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The rank of index should be 1, but received the shape "
        "[%s].",
        index.dims()));
  }
  DDim expected = x.dims();
  expected[dim] = index.dims()[0];
  if (!CompatibleDims(updates.dims(), expected)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The shape of updates should be [%s] for x of shape [%s], "
        "axis %d and index of shape [%s], but received [%s].",
        expected,
        x.dims(),
        dim,
        index.dims(),
        updates.dims()));
  }
}

// For kernels of scatter: checks what its InferMeta functions do not, and
// returns the index. `x` is the input or a gradient of the same shape; errors
// call it `name`. Besides [n], index may have the shape [] or [n, 1]. Rows of
// updates past the length of index are ignored. As in Paddle 3.3.1, if one of
// the tensors is empty, shapes are not checked and nothing is scattered: the
// function stores an empty index in `empty` and returns it.
inline const DenseTensor& CheckScatter(const char* name,
                                       const DenseTensor& x,
                                       const DenseTensor& index,
                                       const DenseTensor& updates,
                                       std::unique_ptr<DenseTensor>* empty) {
  const bool has_entries = x.numel() != 0 && index.numel() != 0;
  if (has_entries) CheckIndexDtype(index);
  if (!has_entries || updates.numel() == 0) {
    *empty = std::make_unique<DenseTensor>();
    (*empty)->Resize({0});
    return **empty;
  }
  CheckSameDtype("scatter", x, "updates", updates);
  const DDim& x_dims = x.dims();
  const DDim& dims = updates.dims();
  // updates has a first dim for the index unless index is 0-D.
  const int first_inner = index.dims().size() == 0 ? 0 : 1;
  bool fits =
      x_dims.size() > 0 && dims.size() == x_dims.size() - 1 + first_inner;
  if (fits && first_inner > 0) fits = dims[0] >= index.numel();
  for (int i = 1; fits && i < x_dims.size(); ++i) {
    fits = dims[i - 1 + first_inner] == x_dims[i];
  }
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The shape of updates should be the shape of %s, [%s], %s "
        "the first dim, for index of shape [%s], but received [%s].",
        name,
        x_dims,
        first_inner > 0 ? "with at least the length of index as" : "without",
        index.dims(),
        dims));
  }
  return index;
}

}  // namespace phi::funcs::scatter_ops
