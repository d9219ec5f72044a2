// On the CPU: copy a tensor with a strided view replaced, and gather such a
// view.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "paddle/phi/backends/cpu/cpu_context.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/parallel.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/strided_view.h"

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
// is read as zeros; out may be x.
template <typename Storage>
void CopyAndReplace(const CPUContext& /*dev_ctx*/,
                    Storage* out,
                    int64_t numel,
                    const Storage* x,
                    const StridedView& view,
                    const Storage* values) {
  static constexpr Storage kZero{};
  // Elements are replaced while their block of out is in the L2 cache.
  constexpr int64_t kBlock = (256 << 10) / sizeof(Storage);
  const int64_t num_written = out == x ? view.numel() : numel;
  const Tiles tiles(numel, sizeof(Storage));
  ParallelFor(tiles.count, num_written * sizeof(Storage), [&](int64_t i) {
    for (int64_t b = tiles.begin(i); b < tiles.end(i); b += kBlock) {
      const int64_t n = std::min(kBlock, tiles.end(i) - b);
      if (x == nullptr) {
        std::memset(static_cast<void*>(out + b), 0, n * sizeof(Storage));
      } else if (out != x) {
        CopyPart(out + b, x + b, n * sizeof(Storage), tiles.bytes);
      }
      view.ForEachRun(b, b + n, [&](const StridedView::Run& run) {
        const Storage* in = values ? values + run.first.values : &kZero;
        const int64_t in_stride = values ? run.strides.values : 0;
        CopyStrided(
            out + run.first.x, run.strides.x, in, in_stride, run.length);
      });
    }
  });
}

// values = the elements of `view` in x, which has `numel` elements.
template <typename Storage>
void GatherView(const CPUContext& /*dev_ctx*/,
                Storage* values,
                const StridedView& view,
                const Storage* x,
                int64_t numel) {
  const Tiles tiles(numel, sizeof(Storage));
  ParallelFor(tiles.count, view.numel() * sizeof(Storage), [&](int64_t i) {
    const auto copy = [&](const StridedView::Run& run) {
      CopyStrided(values + run.first.values,
                  run.strides.values,
                  x + run.first.x,
                  run.strides.x,
                  run.length);
    };
    view.ForEachRun(tiles.begin(i), tiles.end(i), copy);
  });
}

}  // namespace phi::funcs::scatter_ops
