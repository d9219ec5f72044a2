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

// The operators that reduce by an index and their gradients on the GPU. The
// index is sorted by slice; a thread then reduces one element of a slice, in
// the permutation of the index, or makes the gradients of that element and its
// updates. No atomics: the same bits in every run.

#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/reduction.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi::funcs::scatter_ops {

// Checks the index, and adds `size` to negative slices. It is a launch of its
// own, so that a bad index stops the work before any output is written.
template <typename IndexT>
struct ReadSlots {
  IndexOp op;
  const IndexT* index;
  int64_t size;
  int64_t* slices;
  int64_t* entries;  // filled with 0, 1, 2, ...

  __device__ void operator()(int64_t i) const {
    const int64_t slice = index[i];
    PADDLE_ENFORCE(slice >= -size && slice < size,
                   "(%s) index must be in [%lld, %lld), as x has %lld elements "
                   "along axis, but index[%lld] is %lld.",
                   NameOf(op),
                   static_cast<long long>(-size),
                   static_cast<long long>(size),
                   static_cast<long long>(size),
                   static_cast<long long>(i),
                   static_cast<long long>(slice));
    slices[i] = slice < 0 ? slice + size : slice;
    entries[i] = i;
  }
};

// Where the segment of each slice ends in the sorted slices.
struct FindEnds {
  const int64_t* keys;
  int64_t n;
  int64_t* ends;

  __device__ void operator()(int64_t slice) const {
    int64_t low = 0;
    int64_t high = n;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (keys[middle] > slice) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    ends[slice] = low;
  }
};

// An element of x, and where the updates of its slice have theirs.
struct SlotElement {
  int64_t at;            // in x
  const int64_t* begin;  // the entries that point to the slice, ascending
  const int64_t* end;
  int64_t first_update;  // where entry 0 has its element, in updates
  int64_t inner;

  __device__ int64_t count() const { return end - begin; }
  __device__ int64_t UpdateAt(const int64_t* entry) const {
    return first_update + *entry * inner;
  }
};

// Calls body(element) for an element of x.
template <typename Body>
struct EachSlotElement {
  AxisView view;
  const int64_t* permutation;
  const int64_t* ends;
  Body body;
  FastDivMod<int64_t> by_size = FastDivMod<int64_t>(view.size);
  FastDivMod<int64_t> by_inner = FastDivMod<int64_t>(view.inner);

  __device__ void operator()(int64_t at) const {
    const int64_t slice = by_inner.Div(at);
    const int64_t row = by_size.Div(slice);
    const int64_t slice = slice - row * view.size;
    const int64_t column = at - slice * view.inner;
    const int64_t begin = slice == 0 ? 0 : ends[slice - 1];
    body(SlotElement{at,
                     permutation + begin,
                     permutation + ends[slice],
                     row * view.length * view.inner + column,
                     view.inner});
  }
};

// The entries of an index, grouped by the slice that they point to.
class IndexOnGpu {
 public:
  // Queues the check of the whole index, and its segments.
  IndexOnGpu(const GPUContext& dev_ctx,
             IndexOp op,
             const DenseTensor& index,
             const AxisView& view)
      : dev_ctx_(dev_ctx) {
    const int64_t size = view.size;
    const int64_t n = view.length;
    int64_t* slices = AllocScratch<int64_t>(dev_ctx, 4 * n + size, &memory_);
    int64_t* entries = slices + n;
    int64_t* keys = entries + n;
    order_ = keys + n;
    ends_ = order_ + n;
    const auto read = [&](const auto* data) {
      using IndexT = std::decay_t<decltype(*data)>;
      ForEach(dev_ctx, n, ReadSlots<IndexT>{op, data, size, slices, entries});
    };
    if (index.dtype() == DataType::INT32) {
      read(DataOrNull<int32_t>(index));
    } else {
      read(DataOrNull<int64_t>(index));
    }
    if (n > std::numeric_limits<int>::max()) {
      PADDLE_THROW(common::errors::Unimplemented(
          "(%s) The length of index should be less than 2^31 on a GPU, but "
          "received %d.",
          NameOf(op),
          n));
    }
    if (n > 0) Sort(static_cast<int>(n), size, slices, keys, entries);
    ForEach(dev_ctx, size, FindEnds{keys, n, ends_});
  }

  // Calls body(element) for each element of x.
  template <typename Body>
  void ForEachElement(const AxisView& view, const Body& body) const {
    if (view.numel() == 0) return;
    ForEach(dev_ctx_,
            view.numel(),
            EachSlotElement<Body>{view, order_, ends_, body});
  }

 private:
  // Equal slices keep the permutation of their entries. CUB before CCCL 2.8
  // takes the number of items as an int.
  void Sort(int n,
            int64_t size,
            const int64_t* slices,
            int64_t* keys,
            const int64_t* entries) {
    int bits = 1;
    while (bits < 63 && size > int64_t{1} << bits) ++bits;
    CallCub(dev_ctx_, [&](void* temporary, size_t* bytes) {
      return cub::DeviceRadixSort::SortPairs(temporary,
                                             *bytes,
                                             slices,
                                             keys,
                                             entries,
                                             order_,
                                             n,
                                             /*begin_bit=*/0,
                                             bits,
                                             dev_ctx_.stream());
    });
  }

  const GPUContext& dev_ctx_;
  DenseTensor memory_;
  int64_t* order_;
  int64_t* ends_;  // of the segment of each slice
};

// Reduces an element of x and its updates to one of out. kAssign takes the last
// update.
template <typename T, IndexReduce kReduce>
struct SlotReduction {
  const T* x;
  const T* updates;
  bool include_self;
  T* out;

  __device__ void operator()(const SlotElement& element) const {
    out[element.at] = Of(element);
  }

  __device__ T Of(const SlotElement& element) const {
    if (element.count() == 0) return x[element.at];
    if constexpr (kReduce == IndexReduce::kAssign) {
      return updates[element.UpdateAt(element.end - 1)];
    } else {
      return Reduced(element);
    }
  }

 private:
  static constexpr bool kMeans = kReduce == IndexReduce::kMean;
  using Sum = typename ReduceType<T, kReduce>::type;

  // A sum without x starts from zero, which turns a lone -0.0 into 0.0.
  __device__ T Reduced(const SlotElement& element) const {
    const int64_t* entry = element.begin;
    Sum sum{};
    if (include_self) {
      sum = static_cast<Sum>(x[element.at]);
    } else if (kReduce != IndexReduce::kSum && !kMeans) {
      sum = static_cast<Sum>(updates[element.UpdateAt(entry++)]);
    }
    for (; entry < element.end; ++entry) {
      const T update = updates[element.UpdateAt(entry)];
      sum = Combine<kReduce>(sum, static_cast<Sum>(update));
    }
    if constexpr (kMeans) {
      return static_cast<T>(DivideByCount(sum, element.count() + include_self));
    } else {
      return static_cast<T>(sum);
    }
  }
};

// The kernel of an operator that has the reductions of the set `Reduces`.
template <typename T, typename Reduces>
void IndexReduceInto(const GPUContext& dev_ctx,
                     Reduces reduces,
                     const IndexReduceCall& call,
                     const DenseTensor& x,
                     const DenseTensor& index,
                     const DenseTensor& updates,
                     DenseTensor* out) {
  const AxisView view(x, index, call.axis);
  const T* x_data = DataOrNull<T>(x);
  T* out_data = dev_ctx.template Alloc<T>(out);
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  const IndexOnGpu segments(dev_ctx, call.op, index, view);
  std::optional<DenseTensor> copy;
  const T* update_data =
      CopyIfOverlapping<T>(dev_ctx, updates, out_data, bytes, &copy);
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr IndexReduce kReduce = decltype(constant)::value;
    segments.ForEachElement(
        view,
        SlotReduction<T, kReduce>{
            x_data, update_data, call.include_self, out_data});
  });
}

// The gradients of an element of x and of its updates, which hold zeros before.
template <typename T, IndexReduce kReduce>
struct SlotGradient {
  using Sum = typename ReduceType<T, kReduce>::type;

  IndexGradTensors<T> tensors;
  bool include_self;
  Sum* before;  // room for an element of each update; mul alone needs it

  __device__ void operator()(const SlotElement& element) const {
    const T grad = tensors.out_grad[element.at];
    if (element.count() == 0) {
      SetX(element, grad);
    } else if constexpr (kReduce == IndexReduce::kAssign) {
      SetX(element, T{});
      SetUpdate(element.UpdateAt(element.end - 1), grad);
    } else if constexpr (kReduce == IndexReduce::kSum) {
      ShareOut(element, grad);
    } else if constexpr (kReduce == IndexReduce::kMean) {
      ShareOut(element, Part(grad, element.count() + include_self));
    } else if constexpr (kReduce == IndexReduce::kMul) {
      OfProduct(element, static_cast<Sum>(grad));
    } else {
      OfExtreme(element, grad);
    }
  }

 private:
  __device__ void SetX(const SlotElement& element, T value) const {
    if (tensors.x_grad) tensors.x_grad[element.at] = value;
  }

  __device__ void SetUpdate(int64_t at, T value) const {
    if (tensors.updates_grad) tensors.updates_grad[at] = value;
  }

  __device__ static T Part(T grad, int64_t count) {
    return static_cast<T>(DivideByCount(static_cast<Sum>(grad), count));
  }

  __device__ void ShareOut(const SlotElement& element, T share) const {
    SetX(element, include_self ? share : T{});
    for (const int64_t* p = element.begin; p < element.end; ++p) {
      SetUpdate(element.UpdateAt(p), share);
    }
  }

  // Even shares for the elements that tie for the extreme.
  __device__ void OfExtreme(const SlotElement& element, T grad) const {
    const T* updates = tensors.updates;
    const T extreme = tensors.out[element.at];
    const bool x_ties = include_self && Same(tensors.x[element.at], extreme);
    int64_t ties = x_ties ? 1 : 0;
    for (const int64_t* p = element.begin; p < element.end; ++p) {
      if (Same(updates[element.UpdateAt(p)], extreme)) ++ties;
    }
    const T share = Part(grad, ties);
    SetX(element, x_ties ? share : T{});
    for (const int64_t* p = element.begin; p < element.end; ++p) {
      const int64_t at = element.UpdateAt(p);
      if (Same(updates[at], extreme)) SetUpdate(at, share);
    }
  }

  // Compared in the type that T is reduced in.
  __device__ static bool Same(T value, T extreme) {
    return EqualOrBothNan(static_cast<Sum>(value), static_cast<Sum>(extreme));
  }

  // A factor gets the product of those before it times that of those after it
  // and the gradient, so that zeros need no special care: one walk keeps the
  // products before, one back makes the others. The conjugate of a product is
  // the product of the conjugates, to the bit: so the factors are taken as they
  // are, and the result is conjugated once.
  __device__ void OfProduct(const SlotElement& element, Sum grad) const {
    Sum product = include_self ? static_cast<Sum>(tensors.x[element.at])
                               : static_cast<Sum>(1.0f);
    for (const int64_t* p = element.begin; p < element.end; ++p) {
      const int64_t at = element.UpdateAt(p);
      before[at] = product;
      product = WrappingMul(product, static_cast<Sum>(tensors.updates[at]));
    }
    product = Conjugate(grad);
    for (const int64_t* p = element.end; p-- > element.begin;) {
      const int64_t at = element.UpdateAt(p);
      const Sum others = WrappingMul(before[at], product);
      SetUpdate(at, static_cast<T>(Conjugate(others)));
      product = WrappingMul(product, static_cast<Sum>(tensors.updates[at]));
    }
    SetX(element, include_self ? static_cast<T>(Conjugate(product)) : T{});
  }
};

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
  const IndexOnGpu segments(dev_ctx, call.op, index, view);
  const IndexGradTensors<T> tensors{
      kReads ? DataOrNull<T>(x) : nullptr,
      kReads ? DataOrNull<T>(updates) : nullptr,
      kReads ? DataOrNull<T>(out) : nullptr,
      DataOrNull<T>(dout),
      x_grad ? dev_ctx.template Alloc<T>(x_grad) : nullptr,
      updates_grad ? AllocZeros<T>(dev_ctx, updates_grad) : nullptr};
  VisitReduce<T>(reduces, call.reduce, [&](auto constant) {
    constexpr IndexReduce kReduce = decltype(constant)::value;
    using Sum = typename SlotGradient<T, kReduce>::Sum;
    DenseTensor memory;
    const int64_t room = kReduce == IndexReduce::kMul ? updates.numel() : 0;
    segments.ForEachElement(
        view,
        SlotGradient<T, kReduce>{tensors,
                                 call.include_self,
                                 AllocScratch<Sum>(dev_ctx, room, &memory)});
  });
}

}  // namespace phi::funcs::scatter_ops
