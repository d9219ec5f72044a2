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

// The gradients of index_scatter and index_reduce on the GPU. All atomics are
// of integers: results are the same in every run.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/index.cu.h"

namespace phi::funcs::scatter_ops {

template <typename T>
__device__ T ShareOf(T grad, int64_t count) {
  return static_cast<T>(DivideByCount(static_cast<AccType<T>>(grad), count));
}

// The gradients of assign, sum and mean: updates_grad gathers from out_grad,
// which x_grad may be. The rows need no sort.
template <typename T, IndexReduce kReduce>
void LinearGradient(const GPUContext& dev_ctx,
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
  const RowCount* of_row =
      kReduce == IndexReduce::kSum
          ? nullptr
          : GatherRowInfo(dev_ctx, kInfo, indexed, &memory);
  const auto for_each_update = [&](const auto& f) {
    ForEach(dev_ctx, indexed.num_updates, f);
  };
  if (updates_grad) {
    for_each_update([=] __device__(int64_t i) {
      const AxisPlace at = indexed.in_updates.Locate(i);
      const int64_t row = indexed.rows[at.row];
      T grad = out_grad[indexed.in_x.Offset(at, row)];
      if (kIsAssign && of_row[row] != at.row + RowCount{1}) grad = T{};
      updates_grad[i] =
          kIsMean ? ShareOf(grad, of_row[row] + include_self) : grad;
    });
  }
  if (!x_grad) return;
  CopyBytes(dev_ctx, out_grad, indexed.num_x * sizeof(T), x_grad);
  if (kIsMean && include_self) {
    ForEach(dev_ctx, indexed.num_x, [=] __device__(int64_t i) {
      const int64_t row = indexed.in_x.Locate(i).row;
      x_grad[i] = ShareOf(x_grad[i], of_row[row] + 1);
    });
  } else if (kIsAssign || !include_self) {
    for_each_update([=] __device__(int64_t i) {
      x_grad[indexed.InX(indexed.in_updates.Locate(i))] = T{};
    });
  }
}

// Compares in the type that T is reduced in.
template <typename T>
__device__ bool IsTie(T value, T extreme) {
  using Value = AccType<T>;
  return EqualOrBothNan(static_cast<Value>(value), static_cast<Value>(extreme));
}

// The gradients of amax and amin: even shares for the elements that tie for the
// extreme.
template <typename T>
void ExtremeGradient(const GPUContext& dev_ctx,
                     const IndexReduceCall& call,
                     const IndexedRows& indexed,
                     const IndexGradTensors<T>& tensors) {
  const IndexGradTensors<T> t = tensors;
  const bool include_self = call.include_self;
  DenseTensor memory;
  // 32 bits: the forward kernel takes less than 2^31 entries.
  auto* ties = AllocWorkspace<unsigned>(dev_ctx, indexed.num_x, &memory);
  ForEach(dev_ctx, indexed.num_x, [=] __device__(int64_t i) {
    ties[i] = include_self && IsTie(t.x[i], t.out[i]) ? 1 : 0;
  });
  ForEach(dev_ctx, indexed.num_updates, [=] __device__(int64_t i) {
    const int64_t at = indexed.InX(indexed.in_updates.Locate(i));
    if (IsTie(t.updates[i], t.out[at])) atomicAdd(ties + at, 1u);
  });
  if (t.updates_grad) {
    ForEach(dev_ctx, indexed.num_updates, [=] __device__(int64_t i) {
      const int64_t at = indexed.InX(indexed.in_updates.Locate(i));
      const bool is_tie = IsTie(t.updates[i], t.out[at]);
      const T share = ShareOf(t.out_grad[at], is_tie ? ties[at] : 1);
      t.updates_grad[i] = is_tie ? share : T{};
    });
  }
  if (t.x_grad) {
    ForEach(dev_ctx, indexed.num_x, [=] __device__(int64_t i) {
      // Rows that no entry names have no ties, or only x itself.
      const bool gets_grad =
          include_self ? IsTie(t.x[i], t.out[i]) : ties[i] == 0;
      const T share = ShareOf(t.out_grad[i], ties[i] == 0 ? 1 : ties[i]);
      t.x_grad[i] = gets_grad ? share : T{};
    });
  }
}

// The gradients of mul: a factor gets the product of those before it times that
// of those after it and out_grad, so zeros are no special case. One walk over
// the segment stores the products before, one back multiplies the others. The
// conjugate of a product is the product of the conjugates, bitwise: the result
// is conjugated once. One thread walks a segment, however long: the product of
// thousands of factors is rarely finite and nonzero.
template <typename T>
void ProductGradient(const GPUContext& dev_ctx,
                     const IndexReduceCall& call,
                     const IndexedRows& indexed,
                     const IndexGradTensors<T>& tensors) {
  using Product = AccType<T>;
  const IndexGradTensors<T> t = tensors;
  const bool include_self = call.include_self;
  DenseTensor sorted;
  const Segments segments = SortByRow(dev_ctx, call.op, indexed, &sorted);
  DenseTensor memory;
  auto* before = AllocWorkspace<Product>(dev_ctx, indexed.num_updates, &memory);
  if (t.x_grad) {
    CopyBytes(dev_ctx, t.out_grad, indexed.num_x * sizeof(T), t.x_grad);
  }
  ForEach(dev_ctx, indexed.num_updates, [=] __device__(int64_t i) {
    const AxisPlace at = indexed.in_updates.Locate(i);
    if (!segments.IsHead(at.row)) return;
    const int64_t row = segments.rows[at.row];
    const int64_t in_x = indexed.in_x.Offset(at, row);
    Product product = include_self ? static_cast<Product>(t.x[in_x])
                                   : static_cast<Product>(1.0f);
    int64_t p = at.row;
    for (; segments.Has(p, row); ++p) {
      const int64_t u = indexed.in_updates.Offset(at, segments.entries[p]);
      before[u] = product;
      product = WrappingMul(product, static_cast<Product>(t.updates[u]));
    }
    product = Conjugate(static_cast<Product>(t.out_grad[in_x]));
    while (p-- > at.row) {
      const int64_t u = indexed.in_updates.Offset(at, segments.entries[p]);
      const Product others = WrappingMul(before[u], product);
      if (t.updates_grad) {
        t.updates_grad[u] = static_cast<T>(Conjugate(others));
      }
      product = WrappingMul(product, static_cast<Product>(t.updates[u]));
    }
    if (t.x_grad) {
      t.x_grad[in_x] = include_self ? static_cast<T>(Conjugate(product)) : T{};
    }
  });
}

// The gradient kernel of an operator that has the reductions of the set
// `Reduces`. If these are linear, the elements of x, updates and out are not
// read and x_grad may be out_grad.
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
  constexpr bool kReads = std::is_same<Reduces, NonlinearReduces>::value;
  CheckOutGrad(NameOf(call.op), out_grad, x.dims(), x_grad);
  const AxisView view(x, index, call.axis);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  ResizeLike(x, x_grad);
  ResizeLike(updates, updates_grad);
  DenseTensor memory;
  const IndexedRows indexed = ReadIndex(dev_ctx, call.op, index, view, &memory);
  const IndexGradTensors<T> tensors{
      kReads ? DataOrNull<T>(x) : nullptr,
      kReads ? DataOrNull<T>(updates) : nullptr,
      kReads ? DataOrNull<T>(out) : nullptr,
      DataOrNull<T>(dout),
      x_grad ? dev_ctx.template Alloc<T>(x_grad) : nullptr,
      updates_grad ? dev_ctx.template Alloc<T>(updates_grad) : nullptr};
  if (updates_grad && view.length == 0) AllocZeros<T>(dev_ctx, updates_grad);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr IndexReduce kReduce = decltype(constant)::value;
    if constexpr (kReduce == IndexReduce::kMul) {
      ProductGradient(dev_ctx, call, indexed, tensors);
    } else if constexpr (kReads) {
      ExtremeGradient(dev_ctx, call, indexed, tensors);
    } else {
      LinearGradient<T, kReduce>(dev_ctx, call, indexed, tensors);
    }
  });
}

}  // namespace phi::funcs::scatter_ops
