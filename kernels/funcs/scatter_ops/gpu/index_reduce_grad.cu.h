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

// The gradient kernels of index_scatter and index_reduce on the GPU. Atomics
// are on integers only: results are reproducible. x_grad may be out_grad if the
// reduction is linear.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index.cu.h"

namespace phi::funcs::scatter_ops {

template <typename T>
__device__ T DivideGrad(T grad, int64_t count) {
  return static_cast<T>(DivideByCount(static_cast<AccType<T>>(grad), count));
}

// The gradients of assign, sum and mean, which need no sort: updates_grad
// gathers from out_grad before x_grad may overwrite it.
template <typename T, IndexReduce kReduce>
void ComputeLinearGrad(const GPUContext& dev_ctx,
                       const IndexReduceCall& call,
                       const IndexedRows& indexed,
                       const IndexGradTensors<T>& tensors) {
  constexpr bool kIsMean = kReduce == IndexReduce::kMean;
  constexpr bool kIsAssign = kReduce == IndexReduce::kAssign;
  const bool include_self = call.include_self;
  const T* out_grad = tensors.out_grad;
  T* x_grad = tensors.x_grad;
  T* updates_grad = tensors.updates_grad;
  constexpr auto kInfo = kIsMean ? RowInfo::kCount : RowInfo::kLastEntry;
  DenseTensor memory;
  const RowCount* row_info =
      kReduce == IndexReduce::kSum
          ? nullptr
          : GatherRowInfo(dev_ctx, kInfo, indexed, &memory);
  const auto for_each_update = [&](const auto& f) {
    ForEach(dev_ctx, indexed.updates_numel, f);
  };
  if (updates_grad) {
    for_each_update([=] __device__(int64_t i) {
      const AxisCoords at = indexed.updates_layout.Locate(i);
      const int64_t row = indexed.rows[at.row];
      T grad = out_grad[indexed.x_layout.Offset(at, row)];
      if (kIsAssign && row_info[row] != at.row + RowCount{1}) grad = T{};
      updates_grad[i] =
          kIsMean ? DivideGrad(grad, row_info[row] + include_self) : grad;
    });
  }
  if (!x_grad) return;
  CopyBytes(dev_ctx, out_grad, indexed.x_numel * sizeof(T), x_grad);
  if (kIsMean && include_self) {
    ForEach(dev_ctx, indexed.x_numel, [=] __device__(int64_t i) {
      const int64_t row = indexed.x_layout.Locate(i).row;
      x_grad[i] = DivideGrad(x_grad[i], row_info[row] + 1);
    });
  } else if (kIsAssign || !include_self) {
    for_each_update([=] __device__(int64_t i) {
      x_grad[indexed.OffsetInX(indexed.updates_layout.Locate(i))] = T{};
    });
  }
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
                         const IndexedRows& indexed,
                         const IndexGradTensors<T>& tensors) {
  const IndexGradTensors<T> t = tensors;
  const bool include_self = call.include_self;
  DenseTensor memory;
  // 32 bits suffice: the forward kernel limits the index to 2^31 - 1 entries.
  auto* ties = AllocWorkspace<unsigned>(dev_ctx, indexed.x_numel, &memory);
  ForEach(dev_ctx, indexed.x_numel, [=] __device__(int64_t i) {
    ties[i] = include_self && IsTie(t.x[i], t.out[i]) ? 1 : 0;
  });
  ForEach(dev_ctx, indexed.updates_numel, [=] __device__(int64_t i) {
    const int64_t at = indexed.OffsetInX(indexed.updates_layout.Locate(i));
    if (IsTie(t.updates[i], t.out[at])) atomicAdd(ties + at, 1u);
  });
  if (t.updates_grad) {
    ForEach(dev_ctx, indexed.updates_numel, [=] __device__(int64_t i) {
      const int64_t at = indexed.OffsetInX(indexed.updates_layout.Locate(i));
      const bool is_tie = IsTie(t.updates[i], t.out[at]);
      const T tie_grad = DivideGrad(t.out_grad[at], is_tie ? ties[at] : 1);
      t.updates_grad[i] = is_tie ? tie_grad : T{};
    });
  }
  if (t.x_grad) {
    ForEach(dev_ctx, indexed.x_numel, [=] __device__(int64_t i) {
      // Rows that no entry names have no ties, or only x itself.
      const bool has_grad =
          include_self ? IsTie(t.x[i], t.out[i]) : ties[i] == 0;
      const T tie_grad = DivideGrad(t.out_grad[i], ties[i] == 0 ? 1 : ties[i]);
      t.x_grad[i] = has_grad ? tie_grad : T{};
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
                        const IndexedRows& indexed,
                        const IndexGradTensors<T>& tensors) {
  using Product = AccType<T>;
  const IndexGradTensors<T> t = tensors;
  const bool include_self = call.include_self;
  DenseTensor sorted;
  const Segments segments = SortByRow(dev_ctx, call.op, indexed, &sorted);
  DenseTensor memory;
  auto* prefix_products =
      AllocWorkspace<Product>(dev_ctx, indexed.updates_numel, &memory);
  if (t.x_grad) {
    CopyBytes(dev_ctx, t.out_grad, indexed.x_numel * sizeof(T), t.x_grad);
  }
  ForEach(dev_ctx, indexed.updates_numel, [=] __device__(int64_t i) {
    const AxisCoords at = indexed.updates_layout.Locate(i);
    if (!segments.IsHead(at.row)) return;
    const int64_t row = segments.rows[at.row];
    const int64_t x_offset = indexed.x_layout.Offset(at, row);
    Product product = include_self ? static_cast<Product>(t.x[x_offset])
                                   : static_cast<Product>(1.0f);
    int64_t p = at.row;
    for (; segments.Has(p, row); ++p) {
      const int64_t u = indexed.updates_layout.Offset(at, segments.entries[p]);
      prefix_products[u] = product;
      product = WrappingMul(product, static_cast<Product>(t.updates[u]));
    }
    product = Conjugate(static_cast<Product>(t.out_grad[x_offset]));
    while (p-- > at.row) {
      const int64_t u = indexed.updates_layout.Offset(at, segments.entries[p]);
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
  CheckOutGrad(NameOf(call.op), out_grad, x.dims(), x_grad);
  const AxisView view(x, index, call.axis);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  ResizeLike(x, x_grad);
  ResizeLike(updates, updates_grad);
  DenseTensor memory;
  const IndexedRows indexed = ReadIndex(dev_ctx, call.op, index, view, &memory);
  const IndexGradTensors<T> tensors{
      kIsNonlinear ? DataOrNull<T>(x) : nullptr,
      kIsNonlinear ? DataOrNull<T>(updates) : nullptr,
      kIsNonlinear ? DataOrNull<T>(out) : nullptr,
      DataOrNull<T>(dout),
      x_grad ? dev_ctx.template Alloc<T>(x_grad) : nullptr,
      updates_grad ? dev_ctx.template Alloc<T>(updates_grad) : nullptr};
  if (updates_grad && view.length == 0) AllocZeros<T>(dev_ctx, updates_grad);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr IndexReduce kReduce = decltype(constant)::value;
    if constexpr (kReduce == IndexReduce::kMul) {
      ComputeProductGrad(dev_ctx, call, indexed, tensors);
    } else if constexpr (kIsNonlinear) {
      ComputeExtremumGrad(dev_ctx, call, indexed, tensors);
    } else {
      ComputeLinearGrad<T, kReduce>(dev_ctx, call, indexed, tensors);
    }
  });
}

}  // namespace phi::funcs::scatter_ops
