// Helpers of the masked and scatter kernels, for all devices: aliasing of
// inputs and outputs, and dims of gradients.

#pragma once

#include <cstdint>
#include <memory>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/core/enforce.h"
#include "paddle/phi/core/tensor_utils.h"

namespace phi::funcs::scatter_ops {

// True if two buffers share a byte.
inline bool Overlap(const void* a,
                    int64_t a_bytes,
                    const void* b,
                    int64_t b_bytes) {
  const auto* a_begin = static_cast<const char*>(a);
  const auto* b_begin = static_cast<const char*>(b);
  return a_begin < b_begin + b_bytes && b_begin < a_begin + a_bytes;
}

// Throws unless an incoming gradient of kernel `op` is null or has the given
// dims: a hook may have replaced it.
inline void CheckGradDims(const char* op,
                          const char* name,
                          const DenseTensor* grad,
                          const DDim& dims) {
  if (grad == nullptr || grad->dims() == dims) return;
  PADDLE_THROW(common::errors::InvalidArgument(
      "(%s) The shape of %s should be [%s], but received [%s].",
      op,
      name,
      dims,
      grad->dims()));
}

// CheckGradDims for the gradient of out. If x_grad is the same object,
// InferMeta has already resized it, so that only its memory shows that it was
// smaller.
inline void CheckOutGrad(const char* op,
                         const DenseTensor& out_grad,
                         const DDim& dims,
                         const DenseTensor* x_grad) {
  if (&out_grad != x_grad) {
    CheckGradDims(op, "out_grad", &out_grad, dims);
    return;
  }
  const int64_t bytes = common::product(dims) * SizeOf(out_grad.dtype());
  const int64_t capacity = out_grad.initialized() ? out_grad.capacity() : 0;
  if (capacity < bytes) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(%s) The size of out_grad should be %d bytes for the shape [%s], but "
        "received %d bytes.",
        op,
        bytes,
        dims,
        capacity));
  }
}

// Resizes a gradient, unless it is null, to the dims of its forward input. In
// legacy static graphs, InferMeta receives the first inputs of the kernel
// whatever `param` names, so the gradient may arrive with other dims.
inline void ResizeLike(const DenseTensor& input, DenseTensor* grad) {
  if (grad != nullptr) grad->Resize(input.dims());
}

// The data of a tensor as its storage type; null if the tensor is null or has
// no elements.
template <typename Storage>
const Storage* StorageData(const DenseTensor* tensor) {
  if (tensor == nullptr || tensor->numel() == 0) return nullptr;
  return static_cast<const Storage*>(tensor->data());
}

// Returns the data of `in`, or of a copy in `copy` if `in` overlaps the `bytes`
// bytes at `out`; null if `in` has no elements.
template <typename T, typename Context>
const T* CopyIfOverlapping(const Context& dev_ctx,
                           const DenseTensor& in,
                           const void* out,
                           int64_t bytes,
                           std::unique_ptr<DenseTensor>* copy) {
  const int64_t in_bytes = in.numel() * static_cast<int64_t>(sizeof(T));
  if (in_bytes == 0) return nullptr;
  const void* const data = in.data();
  if (!Overlap(data, in_bytes, out, bytes)) return static_cast<const T*>(data);
  *copy = std::make_unique<DenseTensor>();
  Copy(dev_ctx, in, dev_ctx.GetPlace(), /*blocking=*/false, copy->get());
  return static_cast<const T*>((*copy)->data());
}

}  // namespace phi::funcs::scatter_ops
