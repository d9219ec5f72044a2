// On the CPU: copy a tensor with a strided view replaced, and gather such a
// view.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

template <typename Storage>
void CopyStrided(Storage* out,
                 int64_t out_stride,
                 const Storage* in,
                 int64_t in_stride,
                 int64_t n) {
  constexpr int64_t kMinMemcpyElements = 16;
  if (out_stride == 1 && in_stride == 0) {
    std::fill_n(out, n, *in);
  } else if (out_stride == 1 && in_stride == 1 && n >= kMinMemcpyElements) {
    std::memcpy(out, in, n * sizeof(Storage));
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * out_stride] = in[i * in_stride];
  }
}

// out = x with the elements of `view` replaced by `values`. A null x or values
// stands for zeros; out may be x.
template <typename Storage>
void CopyAndReplace(Storage* out,
                    int64_t numel,
                    const Storage* x,
                    const StridedView& view,
                    const Storage* values) {
  static constexpr Storage kZero{};
  // Elements are replaced while their block is in the L2 cache.
  constexpr int64_t kBlock = (256 << 10) / sizeof(Storage);
  const int64_t num_written = out == x ? view.numel() : numel;
  const Tiles tiles(numel, sizeof(Storage));
  ParallelFor(tiles.count, num_written * sizeof(Storage), [&](int64_t i) {
    for (int64_t b = tiles.begin(i); b < tiles.end(i); b += kBlock) {
      const int64_t n = std::min(kBlock, tiles.end(i) - b);
      if (x == nullptr) {
        std::memset(static_cast<void*>(out + b), 0, n * sizeof(Storage));
      } else if (out != x) {
        std::memcpy(out + b, x + b, n * sizeof(Storage));
      }
      view.ForEachRun(b,
                      b + n,
                      [&](int64_t x_offset,
                          int64_t x_stride,
                          int64_t values_offset,
                          int64_t values_stride,
                          int64_t m) {
                        const Storage* in =
                            values ? values + values_offset : &kZero;
                        const int64_t in_stride = values ? values_stride : 0;
                        CopyStrided(out + x_offset, x_stride, in, in_stride, m);
                      });
    }
  });
}

// values = the elements of `view` in x, which has `numel` elements.
template <typename Storage>
void GatherView(Storage* values,
                const StridedView& view,
                const Storage* x,
                int64_t numel) {
  const Tiles tiles(numel, sizeof(Storage));
  ParallelFor(tiles.count, view.numel() * sizeof(Storage), [&](int64_t i) {
    view.ForEachRun(
        tiles.begin(i),
        tiles.end(i),
        [&](int64_t x_offset,
            int64_t x_stride,
            int64_t values_offset,
            int64_t values_stride,
            int64_t n) {
          CopyStrided(
              values + values_offset, values_stride, x + x_offset, x_stride, n);
        });
  });
}

// The kernel of the forward and double gradient operators. A null x or values
// stands for zeros. out may be x, but must not overlap values.
template <typename T, typename Context>
void ReplaceViewKernel(const Context& dev_ctx,
                       const DenseTensor* x,
                       const DenseTensor* values,
                       const StridedView& view,
                       DenseTensor* out) {
  using Storage = StorageType<T>;
  Storage* data = reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(out));
  if (out->numel() == 0) return;
  CopyAndReplace<Storage>(data,
                          out->numel(),
                          StorageData<Storage>(x),
                          view,
                          StorageData<Storage>(values));
}

// The kernel of the gradient operators. Either output may be null.
template <typename T, typename Context>
void ReplaceViewGradKernel(const Context& dev_ctx,
                           const char* op,
                           const DenseTensor& x,
                           const DenseTensor& values,
                           const DenseTensor& out_grad,
                           const StridedView& view,
                           DenseTensor* x_grad,
                           DenseTensor* values_grad) {
  CheckOutGrad(op, out_grad, x.dims(), x_grad);
  using Storage = StorageType<T>;
  ResizeLike(x, x_grad);
  ResizeLike(values, values_grad);
  if (values_grad != nullptr) {
    Storage* data =
        reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(values_grad));
    GatherView<Storage>(
        data, view, StorageData<Storage>(&out_grad), out_grad.numel());
  }
  // Last, since x_grad may share the buffer of out_grad.
  if (x_grad != nullptr) {
    ReplaceViewKernel<T>(dev_ctx, &out_grad, nullptr, view, x_grad);
  }
}

}  // namespace phi::funcs::scatter_ops
