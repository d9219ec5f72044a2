// The gradient kernels of index_scatter and index_reduce on the GPU. Atomics
// are on integers only: results are reproducible. x_grad may be out_grad if the
// reduction is linear.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index_reduce.cu.h"

namespace phi::funcs::scatter_ops {

template <typename T>
__device__ T DivideGrad(T grad, int64_t count) {
  return static_cast<T>(DivideByCount(static_cast<AccType<T>>(grad), count));
}

// In the functions below, x_grad holds out_grad, the gradient of slices that no
// index entry names.

// The gradients of assign, sum and mean, which need no sort: updates_grad
// gathers from out_grad before x_grad, which may be out_grad, is overwritten.
template <typename T>
void ComputeLinearGrad(const GPUContext& dev_ctx,
                       const IndexReduceCall& call,
                       const IndexedSlices& indexed,
                       const IndexGradTensors<T>& t) {
  const bool is_assign = call.reduce == IndexReduce::kAssign;
  const bool is_mean = call.reduce == IndexReduce::kMean;
  const bool include_self = call.include_self;
  const bool is_sum = !is_assign && !is_mean;
  // If a mean includes x, x_grad is divided once for each slice: by its last
  // entry.
  const bool needs_ends = is_assign || (is_mean && include_self && t.x_grad);
  DenseTensor memory[2];
  const unsigned* counts =
      is_mean ? SummarizeSlices(dev_ctx, indexed, /*count=*/true, &memory[0])
              : nullptr;
  const unsigned* ends =
      needs_ends
          ? SummarizeSlices(dev_ctx, indexed, /*count=*/false, &memory[1])
          : nullptr;
  const auto is_last = [=] __device__(const AxisCoords& at) {
    return ends[indexed.slices[at.row]] == at.row + 1;
  };
  if (t.updates_grad) {
    StoreEach(dev_ctx, indexed.updates_numel(), [=] __device__(int64_t i) {
      const AxisCoords at = indexed.LocateUpdate(i);
      T grad = t.out_grad[indexed.OffsetInX(at)];
      if (is_assign && !is_last(at)) grad = T{};
      if (is_mean) {
        const int64_t count = counts[indexed.slices[at.row]];
        grad = DivideGrad(grad, count + include_self);
      }
      return Store<T>{t.updates_grad + i, grad};
    });
  }
  if (!t.x_grad || (is_sum && include_self)) return;
  StoreEach(dev_ctx, indexed.updates_numel(), [=] __device__(int64_t i) {
    const AxisCoords at = indexed.LocateUpdate(i);
    T* grad = t.x_grad + indexed.OffsetInX(at);
    if (!is_mean || !include_self) return Store<T>{grad, T{}};
    if (!is_last(at)) return Store<T>{nullptr, T{}};
    const int64_t count = counts[indexed.slices[at.row]];
    return Store<T>{grad, DivideGrad(*grad, count + 1)};
  });
}

template <typename T>
__device__ bool IsTie(T value, T extremum) {
  using Value = AccType<T>;
  return EqualOrBothNan(static_cast<Value>(value),
                        static_cast<Value>(extremum));
}

// The gradients of amax and amin: elements that tie for the extremum share
// the gradient evenly.
template <typename T>
void ComputeExtremumGrad(const GPUContext& dev_ctx,
                         const IndexReduceCall& call,
                         const IndexedSlices& indexed,
                         const IndexGradTensors<T>& t) {
  const bool include_self = call.include_self;
  const int64_t x_numel = indexed.view.numel();
  DenseTensor memory;
  // 32 bits suffice: ReadIndex limits the index to 2^31 - 1 entries.
  auto* ties = AllocWorkspace<unsigned>(dev_ctx, x_numel, &memory);
  ForEach(dev_ctx, x_numel, [=] __device__(int64_t i) {
    ties[i] = include_self && IsTie(t.x[i], t.out[i]) ? 1 : 0;
  });
  ForEach(dev_ctx, indexed.updates_numel(), [=] __device__(int64_t i) {
    const int64_t at = indexed.OffsetInX(indexed.LocateUpdate(i));
    if (IsTie(t.updates[i], t.out[at])) atomicAdd(ties + at, 1u);
  });
  if (t.updates_grad) {
    ForEach(dev_ctx, indexed.updates_numel(), [=] __device__(int64_t i) {
      const int64_t at = indexed.OffsetInX(indexed.LocateUpdate(i));
      t.updates_grad[i] = IsTie(t.updates[i], t.out[at])
                              ? DivideGrad(t.out_grad[at], ties[at])
                              : T{};
    });
  }
  if (t.x_grad) {
    ForEach(dev_ctx, x_numel, [=] __device__(int64_t i) {
      // Slices that no entry names have no ties, or only x itself.
      if (include_self && IsTie(t.x[i], t.out[i])) {
        t.x_grad[i] = DivideGrad(t.out_grad[i], ties[i]);
      } else if (include_self || ties[i] != 0) {
        t.x_grad[i] = T{};
      }
    });
  }
}

// The gradients of mul: that of a factor is out_grad times the product of the
// other factors, a prefix product times a suffix product, so zeros are no
// special case. A forward pass over the segment stores the prefix products; a
// backward pass multiplies by the suffix products. The conjugate of a product
// is bitwise the product of the conjugates, so the results are conjugated once.
// One thread processes a segment of any length: products of thousands of
// factors are rarely finite and nonzero.
template <typename T>
void ComputeProductGrad(const GPUContext& dev_ctx,
                        const IndexReduceCall& call,
                        const IndexedSlices& indexed,
                        const IndexGradTensors<T>& t) {
  using Product = AccType<T>;
  const bool include_self = call.include_self;
  DenseTensor sorted;
  const Segments segments = SortBySlice(dev_ctx, indexed, &sorted);
  const int64_t updates_numel = segments.updates_numel();
  DenseTensor memory;
  auto* prefix_products =
      AllocWorkspace<Product>(dev_ctx, updates_numel, &memory);
  ForEach(dev_ctx, updates_numel, [=] __device__(int64_t i) {
    const AxisCoords at = segments.LocateUpdate(i);
    if (!segments.IsHead(at.row)) return;
    const int64_t slice = segments.slices[at.row];
    const int64_t x_offset = segments.OffsetInX(at);
    Product product = include_self ? static_cast<Product>(t.x[x_offset])
                                   : static_cast<Product>(1.0f);
    int64_t p = at.row;
#pragma unroll 1  // unrolled, it spills registers (nvcc 13.0)
    for (; segments.Has(p, slice); ++p) {
      const int64_t u = segments.OffsetInUpdates(at, p);
      prefix_products[u] = product;
      product = WrappingMul(product, static_cast<Product>(t.updates[u]));
    }
    product = Conjugate(static_cast<Product>(t.out_grad[x_offset]));
#pragma unroll 1
    while (p-- > at.row) {
      const int64_t u = segments.OffsetInUpdates(at, p);
      const Product others = WrappingMul(prefix_products[u], product);
      if (t.updates_grad) {
        t.updates_grad[u] = static_cast<T>(Conjugate(others));
      }
      product = WrappingMul(product, static_cast<Product>(t.updates[u]));
    }
    if (t.x_grad) {
      t.x_grad[x_offset] =
          include_self ? static_cast<T>(Conjugate(product)) : T{};
    }
  });
}

// The gradient kernel of an operator with the reductions of the set `Reduces`.
// If these are linear, it reads only the shapes of x, updates and out.
template <typename T, typename Reduces>
void IndexReduceGradInto(const GPUContext& dev_ctx,
                         Reduces reduces,
                         const IndexReduceCall& call,
                         const DenseTensor& x,
                         const DenseTensor& index,
                         const DenseTensor& updates,
                         const DenseTensor& out,
                         const DenseTensor& out_grad,
                         DenseTensor* x_grad,
                         DenseTensor* updates_grad) {
  constexpr bool kIsNonlinear = std::is_same<Reduces, NonlinearReduces>::value;
  CheckOutGrad("scatter_grad", out_grad, x.dims(), x_grad);
  const AxisView view(x, index, call.axis);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  ResizeLike(x, x_grad);
  ResizeLike(updates, updates_grad);
  DenseTensor memory;
  const IndexedSlices indexed = ReadIndex(dev_ctx, index, view, &memory);
  const IndexGradTensors<T> tensors{
      kIsNonlinear ? DataOrNull<T>(x) : nullptr,
      kIsNonlinear ? DataOrNull<T>(updates) : nullptr,
      kIsNonlinear ? DataOrNull<T>(out) : nullptr,
      DataOrNull<T>(dout),
      x_grad ? dev_ctx.template Alloc<T>(x_grad) : nullptr,
      updates_grad ? dev_ctx.template Alloc<T>(updates_grad) : nullptr};
  if (x_grad) {
    CopyBytes(
        dev_ctx, tensors.out_grad, view.numel() * sizeof(T), tensors.x_grad);
  }
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    if (view.length == 0) {
      if (updates_grad) AllocZeros<T>(dev_ctx, updates_grad);
      return;
    }
    if constexpr (!kIsNonlinear) {
      ComputeLinearGrad(dev_ctx, call, indexed, tensors);
    } else if constexpr (decltype(constant)::value == IndexReduce::kMul) {
      ComputeProductGrad(dev_ctx, call, indexed, tensors);
    } else {
      ComputeExtremumGrad(dev_ctx, call, indexed, tensors);
    }
  });
}

}  // namespace phi::funcs::scatter_ops
