// Argument checks of the reductions by an index, for InferMeta and kernels:
// names of reductions, dtypes and shapes. Users call paddle.scatter.

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

// bool has no product and no mean; complex numbers are not ordered.
constexpr bool HasReduce(IndexReduce reduce, bool is_bool, bool is_complex) {
  if (reduce == IndexReduce::kAssign || reduce == IndexReduce::kSum) {
    return true;
  }
  const bool ordered =
      reduce == IndexReduce::kAmax || reduce == IndexReduce::kAmin;
  return !is_bool && !(ordered && is_complex);
}

// Throws unless `reduce` is defined for the dtype of x, index is 1-D, and
// updates has the dims of x with the length of the index along `axis`. Unknown
// dims pass. The dtype of an empty Tensor is not checked: paddle.to_tensor([])
// is float32.
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
        is_bool ? "a numeric type" : "a real type",
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

// For kernels: checks what the InferMeta functions of scatter do not, and
// returns the index. `x`, called `name` in the message, is x or a gradient of
// its shape. Besides [n], the index may have the shape [] or [n, 1]. Rows of
// updates past the length of the index are ignored. As in Paddle 3.3.1, if a
// tensor is empty, nothing is checked and nothing scattered: returns an empty
// index, which `empty` owns.
inline const DenseTensor& CheckScatter(const char* name,
                                       const DenseTensor& x,
                                       const DenseTensor& index,
                                       const DenseTensor& updates,
                                       std::unique_ptr<DenseTensor>* empty) {
  if (x.numel() == 0 || index.numel() == 0 || updates.numel() == 0) {
    *empty = std::make_unique<DenseTensor>();
    (*empty)->Resize({0});
    return **empty;
  }
  CheckIndexDtype(index);
  CheckSameDtype("scatter", x, "updates", updates);
  const DDim& x_dims = x.dims();
  const DDim& dims = updates.dims();
  const int first =
      index.dims().size() == 0 ? 0 : 1;  // where x_dims[1] is in dims
  bool fits = x_dims.size() > 0 && dims.size() == x_dims.size() - 1 + first;
  if (fits && first > 0) fits = dims[0] >= index.numel();
  for (int i = 1; fits && i < x_dims.size(); ++i) {
    fits = dims[i - 1 + first] == x_dims[i];
  }
  if (!fits) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The shape of updates should be %s the dims of %s after the "
        "first, for %s of shape [%s] and index of shape [%s], but received "
        "[%s].",
        first > 0 ? "[n, ...], where n is at least the length of index and ... "
                    "are"
                  : "[...], where ... are",
        name,
        name,
        x_dims,
        index.dims(),
        dims));
  }
  return index;
}

}  // namespace phi::funcs::scatter_ops
