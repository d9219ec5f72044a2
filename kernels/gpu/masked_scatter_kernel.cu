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

// masked_scatter and its gradients on the GPU: one scan over the mask, whose
// output iterator moves each element as its rank is assigned. Gradients of a
// broadcast x are summed in a fixed order, without atomics.

#include "paddle/phi/kernels/masked_scatter_kernel.h"
#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// A mask, read along the output.
struct MaskAlong {
  const uint8_t* data;
  OperandView view;

  __device__ uint8_t operator[](int64_t i) const {
    return data[view.Offset(i)];
  }
};

inline MaskAlong AlongDims(const DDim& dims, const DenseTensor& mask) {
  return {static_cast<const uint8_t*>(mask.data()),
          OperandView({dims, mask.dims()})};
}

// An input iterator of CUB: a mask as numbers, from element `at` on.
struct MaskNumbers {
  using value_type = int64_t;
  using reference = int64_t;
  using pointer = void;
  using difference_type = int64_t;
  using iterator_category = std::random_access_iterator_tag;

  MaskAlong mask;
  int64_t at;

  __device__ int64_t operator*() const { return mask[at] != 0; }
  __device__ int64_t operator[](int64_t i) const { return mask[at + i] != 0; }
  HOSTDEVICE MaskNumbers operator+(int64_t i) const { return {mask, at + i}; }
};

// An output iterator of CUB: assigning k to element i calls f(i, k).
template <typename F>
struct RankVisitor {
  struct Element {
    const F& f;
    int64_t i;

    __device__ void operator=(int64_t k) const { f(i, k); }
  };
  using value_type = int64_t;
  using reference = Element;
  using pointer = void;
  using difference_type = int64_t;
  using iterator_category = std::random_access_iterator_tag;

  F f;
  int64_t at;

  __device__ Element operator*() const { return {f, at}; }
  __device__ Element operator[](int64_t i) const { return {f, at + i}; }
  HOSTDEVICE RankVisitor operator+(int64_t i) const { return {f, at + i}; }
};

// Calls f(i, selected, k) for the elements [., end) of a chunk: k True elements
// come before element i, before[0] of them before the chunk.
template <typename F>
struct VisitChunk {
  F f;
  MaskAlong mask;
  int64_t end;
  int64_t* before;

  __device__ void operator()(int64_t i, int64_t k) const {
    const bool selected = mask[i] != 0;
    const int64_t rank = before[0] + k;
    f(i, selected, rank);
    if (i + 1 == end) before[1] = rank + selected;
  }
};

// Calls f(i, selected, k) on the device for each element i of a mask, where k
// True elements come before it: one scan, whose output iterator does the work.
// CUB before CCCL 2.8 takes the number of items as an int.
template <typename F>
void VisitRanks(const GPUContext& dev_ctx,
                const MaskAlong& mask,
                int64_t numel,
                const F& f) {
  constexpr int64_t kMaxItems = 1 << 30;
  const int64_t chunks = (numel + kMaxItems - 1) / kMaxItems;
  DenseTensor memory;
  int64_t* before = AllocScratch<int64_t>(dev_ctx, chunks + 1, &memory);
  ClearBytes(dev_ctx, before, sizeof(int64_t));
  for (int64_t begin = 0; begin < numel; begin += kMaxItems, ++before) {
    const int64_t end = std::min(numel, begin + kMaxItems);
    const VisitChunk<F> visit{f, mask, end, before};
    CallCub(dev_ctx, [&](void* temporary, size_t* bytes) {
      return cub::DeviceScan::ExclusiveSum(
          temporary,
          *bytes,
          MaskNumbers{mask, begin},
          RankVisitor<VisitChunk<F>>{visit, begin},
          static_cast<int>(end - begin),
          dev_ctx.stream());
    });
  }
}

template <typename Word>
__device__ void CopyWord(const void* from, int64_t i, void* to, int64_t k) {
  static_cast<Word*>(to)[k] =
      from != nullptr ? static_cast<const Word*>(from)[i] : Word{};
}

// to[k] = from[i], elements of `bytes` bytes; zero without `from`. A branch
// that all threads take alike, so that one scan is compiled for all dtypes.
__device__ inline void CopyElement(
    int bytes, const void* from, int64_t i, void* to, int64_t k) {
  switch (bytes) {
    case 1:
      return CopyWord<uint8_t>(from, i, to, k);
    case 2:
      return CopyWord<uint16_t>(from, i, to, k);
    case 4:
      return CopyWord<uint32_t>(from, i, to, k);
    case 8:
      return CopyWord<uint64_t>(from, i, to, k);
    default:
      return CopyWord<Bytes16>(from, i, to, k);
  }
}

// out = mask ? the next value : x. Without values or x: zeros. out may be x.
struct ScatterElement {
  int bytes;
  const void* x;
  OperandView x_view;
  const void* values;
  int64_t num_values;
  void* out;

  __device__ void operator()(int64_t i, bool selected, int64_t k) const {
    if (!selected) return CopyElement(bytes, x, x_view.Offset(i), out, i);
    PADDLE_ENFORCE(k < num_values,
                   "(masked_scatter) The number of elements of value should be "
                   "at least the number of True elements of the broadcast "
                   "mask, but received %lld.",
                   static_cast<long long>(num_values));
    CopyElement(bytes, values, k, out, i);
  }
};

// The next value = out_grad where the mask is True.
struct GatherElement {
  int bytes;
  const void* out_grad;
  void* values;
  int64_t num_values;

  __device__ void operator()(int64_t i, bool selected, int64_t k) const {
    if (selected && k < num_values) CopyElement(bytes, out_grad, i, values, k);
  }
};

// out = out_grad, but zero where the mask is True. They may be the same.
template <typename Word>
struct ClearSelected {
  const Word* out_grad;
  MaskAlong mask;
  Word* out;

  __device__ void operator()(int64_t i) const {
    out[i] = mask[i] != 0 ? Word{} : out_grad[i];
  }
};

// The output's axes, split into those that the target keeps and those that it
// is summed over; each list maps a row-major number to an output offset.
struct SumAxes {
  OperandView kept;
  OperandView summed;

  SumAxes(const DDim& out_dims, const DDim& target_dims) {
    const BroadcastView target(out_dims, target_dims);
    int64_t stride = common::product(out_dims);
    for (int i = 0; i < target.rank(); ++i) {
      stride /= target.dim(i);
      OperandView& axes = target.stride(i) == 0 ? summed : kept;
      axes.Append(target.dim(i), stride);
    }
  }
};

// target = the elements of `in` whose mask is False, summed. A block sums for
// one kept element at a time; the order depends on the shapes alone.
template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    SumUnmaskedGpuKernel(const T* in, MaskAlong mask, SumAxes axes, T* target) {
  using Sum = typename BroadcastAccTypeOf<T>::type;
  using BlockSum = cub::BlockReduce<Sum, kGpuThreads>;
  __shared__ typename BlockSum::TempStorage storage;
  for (int64_t k = blockIdx.x; k < axes.kept.numel(); k += gridDim.x) {
    const int64_t start = axes.kept.Offset(k);
    Sum sum{};
    for (int64_t s = threadIdx.x; s < axes.summed.numel(); s += kGpuThreads) {
      const int64_t at = start + axes.summed.Offset(s);
      if (mask[at] == 0) sum += static_cast<Sum>(in[at]);
    }
    sum = BlockSum(storage).Sum(sum);
    if (threadIdx.x == 0) target[k] = static_cast<T>(sum);
    __syncthreads();  // the next round uses the storage again
  }
}

// grad = out_grad, of shape `dims`, with zeros where mask is True, summed to
// the shape of grad. grad may share out_grad's memory, but not the object.
// There must be an element.
template <typename T>
void MaskedGradInto(const GPUContext& dev_ctx,
                    const DenseTensor& out_grad,
                    const DDim& dims,
                    const MaskAlong& mask,
                    DenseTensor* grad) {
  using Word = WordOf<T>;
  const int64_t numel = common::product(dims);
  const bool summed = grad->numel() != numel;
  if (summed) grad->clear();  // a sum cannot be written over what it reads
  T* data = dev_ctx.template Alloc<T>(grad);
  if (summed) {
    constexpr int64_t kMostBlocks = 4096;  // they keep any device busy
    const int blocks = static_cast<int>(std::min(grad->numel(), kMostBlocks));
    SumUnmaskedGpuKernel<T><<<blocks, kGpuThreads, 0, dev_ctx.stream()>>>(
        out_grad.data<T>(), mask, SumAxes(dims, grad->dims()), data);
    CheckLaunch();
    return;
  }
  ForEach(dev_ctx,
          numel,
          ClearSelected<Word>{
              WordsOf<Word>(&out_grad), mask, reinterpret_cast<Word*>(data)});
}

}  // namespace phi::funcs::scatter_ops

namespace phi {

template <typename T, typename Context>
void MaskedScatterKernel(const Context& dev_ctx,
                         const DenseTensor& x,
                         const DenseTensor& mask,
                         const DenseTensor& value,
                         DenseTensor* out) {
  namespace ops = funcs::scatter_ops;
  const int64_t numel = out->numel();
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const void* const x_data = x.data();
  auto from_mask = ops::AlongDims(out->dims(), mask);
  T* const out_data = dev_ctx.template Alloc<T>(out);
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::optional<DenseTensor> mask_copy;
  std::optional<DenseTensor> value_copy;
  from_mask.data =
      ops::ReadApart<uint8_t>(dev_ctx, mask, out_data, out_bytes, &mask_copy);
  const T* const values =
      ops::ReadApart<T>(dev_ctx, value, out_data, out_bytes, &value_copy);
  const ops::ScatterElement scatter{sizeof(T),
                                    x_data,
                                    ops::OperandView({out->dims(), x.dims()}),
                                    values,
                                    value.numel(),
                                    out_data};
  ops::VisitRanks(dev_ctx, from_mask, numel, scatter);
}

template <typename T, typename Context>
void MaskedScatterGradKernel(const Context& dev_ctx,
                             const DenseTensor& x,
                             const DenseTensor& mask,
                             const DenseTensor& value,
                             const DenseTensor& out_grad,
                             DenseTensor* x_grad,
                             DenseTensor* value_grad) {
  namespace ops = funcs::scatter_ops;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
  const int64_t numel = common::product(dims);
  ops::CheckOutGrad("masked_scatter_grad", out_grad, dims, x_grad);
  const DenseTensor dout = out_grad;  // x_grad may be the same object
  ops::SizeGrad(x, x_grad);
  ops::SizeGrad(value, value_grad);
  // Values that no True took keep the zeros.
  T* values = value_grad ? ops::AllocZeros<T>(dev_ctx, value_grad) : nullptr;
  if (numel == 0) {
    if (x_grad) ops::AllocZeros<T>(dev_ctx, x_grad);
    return;
  }

  const auto from_mask = ops::AlongDims(dims, mask);
  if (value_grad) {
    const ops::GatherElement gather{
        sizeof(T), dout.data(), values, value_grad->numel()};
    ops::VisitRanks(dev_ctx, from_mask, numel, gather);
  }
  // Last, since it may be written over out_grad.
  if (x_grad) ops::MaskedGradInto<T>(dev_ctx, dout, dims, from_mask, x_grad);
}

template <typename T, typename Context>
void MaskedScatterDoubleGradKernel(
    const Context& dev_ctx,
    const DenseTensor& x,
    const DenseTensor& mask,
    const DenseTensor& value,
    const DenseTensor& grad_out,
    const paddle::optional<DenseTensor>& grad_x_grad,
    const paddle::optional<DenseTensor>& grad_value_grad,
    DenseTensor* grad_out_grad) {
  namespace ops = funcs::scatter_ops;
  const DDim dims =
      ops::BroadcastShape("masked_scatter", x.dims(), mask.dims());
  const int64_t numel = common::product(dims);
  const char* const op = "masked_scatter_double_grad";
  if (grad_x_grad) {
    ops::CheckGradDims(op, "grad_x_grad", *grad_x_grad, x.dims());
  }
  if (grad_value_grad) {
    ops::CheckGradDims(op, "grad_value_grad", *grad_value_grad, value.dims());
  }
  grad_out_grad->Resize(dims);
  T* const out = dev_ctx.template Alloc<T>(grad_out_grad);
  if (numel == 0) return;

  const auto from_mask = ops::AlongDims(dims, mask);
  ops::ScatterElement scatter{sizeof(T),
                              nullptr,
                              ops::OperandView({dims, x.dims()}),
                              nullptr,
                              value.numel(),
                              out};
  if (grad_x_grad) scatter.x = grad_x_grad->data();
  if (grad_value_grad && grad_value_grad->numel() > 0) {
    scatter.values = grad_value_grad->data();
  }
  ops::VisitRanks(dev_ctx, from_mask, numel, scatter);
}

}  // namespace phi

PD_REGISTER_KERNEL(masked_scatter,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}

PD_REGISTER_KERNEL(masked_scatter_double_grad,
                   GPU,
                   ALL_LAYOUT,
                   phi::MaskedScatterDoubleGradKernel,
                   SCATTER_OPS_ALL_DTYPES) {
  kernel->InputAt(1).SetDataType(phi::DataType::BOOL);
}
