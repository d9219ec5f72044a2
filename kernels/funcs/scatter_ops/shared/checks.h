// Argument checks of the masked and scatter operators, for InferMeta and
// kernels: axes, dtypes, and broadcasting with unknown dims.

#pragma once

#include <cstdint>

#include "paddle/phi/common/data_type.h"
#include "paddle/phi/core/ddim.h"
#include "paddle/phi/core/enforce.h"

namespace phi::funcs::scatter_ops {

// True unless the two shapes are known to differ: a negative dim is known only
// at run time.
inline bool CompatibleDims(const DDim& a, const DDim& b) {
  if (a.size() != b.size()) return false;
  for (int i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] >= 0 && b[i] >= 0) return false;
  }
  return true;
}

// Maps `axis` from [-rank, rank) to [0, rank).
inline int NormalizeAxis(const char* op,
                         const char* name,
                         int64_t axis,
                         int rank) {
  if (axis < -rank || axis >= rank) {
    PADDLE_THROW(common::errors::OutOfRange(
        "(%s) The value of %s should be in [%d, %d) for x of rank %d, but "
        "received %d.",
        op,
        name,
        -rank,
        rank,
        rank,
        axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Meta is MetaTensor in InferMeta, DenseTensor in a kernel.
template <typename Meta>
void CheckSameDtype(const char* op,
                    const Meta& x,
                    const char* other_name,
                    const Meta& other) {
  if (other.dtype() == x.dtype()) return;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(%s) The dtype of %s should be the dtype of x, %s, but received %s.",
      op,
      other_name,
      DataTypeToString(x.dtype()),
      DataTypeToString(other.dtype())));
}

template <typename Meta>
void CheckMaskDtype(const char* op, const Meta& mask) {
  if (mask.dtype() == DataType::BOOL) return;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(%s) The dtype of mask should be bool, but received %s.",
      op,
      DataTypeToString(mask.dtype())));
}

// Broadcasts two dims. An unknown dim (-1) and 1 yield -1; an unknown dim and
// any other dim yield the latter, to be checked at run time. Returns -2 on
// mismatch.
inline int64_t BroadcastDim(int64_t a, int64_t b) {
  if (a == b || b == 1) return a;
  if (a == 1) return b;
  if (a < 0) return b;
  if (b < 0) return a;
  return -2;
}

// Broadcasts the shapes of x and mask by numpy's rules.
inline DDim BroadcastShape(const char* op, const DDim& x, const DDim& mask) {
  DDim out = x.size() < mask.size() ? mask : x;
  const int rank = out.size();
  for (int i = 1; i <= rank; ++i) {
    const int64_t x_dim = i <= x.size() ? x[x.size() - i] : 1;
    const int64_t mask_dim = i <= mask.size() ? mask[mask.size() - i] : 1;
    const int64_t dim = BroadcastDim(x_dim, mask_dim);
    if (dim == -2) {
      PADDLE_THROW(common::errors::InvalidArgument(
          "(%s) The shape of mask should be broadcastable with the shape of x, "
          "[%s], but received [%s].",
          op,
          x,
          mask));
    }
    out[rank - i] = dim;
  }
  return out;
}

// Throws if an in-place result would change the shape of x. InferMeta has to
// check this: once it has resized x, a kernel does not see that x was smaller,
// and may write out of bounds.
template <typename Meta>
void CheckInplaceDims(const char* op,
                      const Meta& x,
                      const DDim& dims,
                      const Meta& out) {
  if (!out.is_same_tensor(x) || dims == x.dims()) return;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(%s) The shape of mask should be broadcastable to the shape of x, [%s], "
      "in place, but received shapes that broadcast to [%s].",
      op,
      x.dims(),
      dims));
}

// For kernels: only they know the number of True elements of the mask.
inline void CheckEnoughValues(const char* op,
                              int64_t num_selected,
                              int64_t num_values) {
  if (num_selected <= num_values) return;
  PADDLE_THROW(common::errors::OutOfRange(
      "(%s) The number of elements of value should be at least the number of "
      "True elements of the broadcast mask, %d, but received %d.",
      op,
      num_selected,
      num_values));
}

}  // namespace phi::funcs::scatter_ops
