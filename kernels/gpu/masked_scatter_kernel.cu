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
// output iterator moves an element of value as its rank is assigned. Gradients
// of a broadcast x are summed in a fixed order, without atomics.

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

// A part of a scan: elements up to `end`, before[0] True elements before them.
// Calls f(i, selected, k) for element i, where k True elements come before it.
template <typename F>
struct ScanChunk {
  F f;
  int64_t* before;
  int64_t end;

  __device__ void Visit(int64_t i, int64_t k) const {
    const bool selected = f.mask[i] != 0;
    const int64_t rank = before[0] + k;
    f(i, selected, rank);
    if (i + 1 == end) before[1] = rank + selected;
  }
};

// An input iterator of CUB: the mask as numbers, from element `at` on. The
// iterators hold pointers: CUB copies them into the registers of each thread.
template <typename F>
struct MaskNumbers {
  using value_type = int;  // of a chunk; 64 bits take twice the registers
  using reference = int;
  using pointer = void;
  using difference_type = int64_t;
  using iterator_category = std::random_access_iterator_tag;

  const ScanChunk<F>* chunk;
  int64_t at;

  __device__ int operator*() const { return chunk->f.mask[at] != 0; }
  __device__ int operator[](int64_t i) const {
    return chunk->f.mask[at + i] != 0;
  }
  HOSTDEVICE MaskNumbers operator+(int64_t i) const { return {chunk, at + i}; }
};

// An output iterator of CUB: assigning k to element i visits it.
template <typename F>
struct RankVisitor {
  struct Element {
    const ScanChunk<F>* chunk;
    int64_t i;

    __device__ void operator=(int k) const { chunk->Visit(i, k); }
  };
  using value_type = int;
  using reference = Element;
  using pointer = void;
  using difference_type = int64_t;
  using iterator_category = std::random_access_iterator_tag;

  const ScanChunk<F>* chunk;
  int64_t at;

  __device__ Element operator*() const { return {chunk, at}; }
  __device__ Element operator[](int64_t i) const { return {chunk, at + i}; }
  HOSTDEVICE RankVisitor operator+(int64_t i) const { return {chunk, at + i}; }
};

template <typename F>
__global__ void StoreGpuKernel(F f, F* to) {
  *to = f;
}

// Calls f(i, selected, k) on the device for each element i of f.mask, where k
// True elements come before it: one scan, whose output iterator does the work.
// CUB before CCCL 2.8 takes the number of items as an int, so the scan is cut
// into chunks, of which each leaves its count to the next one. Returns the
// number of True elements, on the device in `memory`.
template <typename F>
const int64_t* VisitRanks(const GPUContext& dev_ctx,
                          int64_t numel,
                          const F& f,
                          DenseTensor* memory) {
  constexpr int64_t kMaxItems = 1 << 30;
  using Chunk = ScanChunk<F>;
  DenseTensor chunk_memory;
  Chunk* chunk = AllocScratch<Chunk>(dev_ctx, 1, &chunk_memory);
  const int64_t chunks = (numel + kMaxItems - 1) / kMaxItems;
  int64_t* before = AllocScratch<int64_t>(dev_ctx, chunks + 1, memory);
  ClearBytes(dev_ctx, before, sizeof(int64_t));
  for (int64_t begin = 0; begin < numel; begin += kMaxItems, ++before) {
    const int64_t end = std::min(numel, begin + kMaxItems);
    StoreGpuKernel<Chunk>
        <<<1, 1, 0, dev_ctx.stream()>>>(Chunk{f, before, end}, chunk);
    CheckLaunch();
    CallCub(dev_ctx, [&](void* temporary, size_t* bytes) {
      return cub::DeviceScan::ExclusiveSum(temporary,
                                           *bytes,
                                           MaskNumbers<F>{chunk, begin},
                                           RankVisitor<F>{chunk, begin},
                                           static_cast<int>(end - begin),
                                           dev_ctx.stream());
    });
  }
  return before;
}

template <typename Storage>
__device__ void CopyWord(const void* from, int64_t i, void* to, int64_t k) {
  static_cast<Storage*>(to)[k] =
      from != nullptr ? static_cast<const Storage*>(from)[i] : Storage{};
}

// to[k] = from[i], elements of `bytes` bytes; zero without `from`. A branch
// that all threads take alike, so that one scan is compiled for all dtypes. Not
// inline: for each of a thread's elements, it would take registers that the
// scan needs.
__device__ __attribute__((noinline)) inline void CopyElement(
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

// The True elements of out = the next values. Without values: zeros.
struct ScatterElement {
  MaskAlong mask;
  int bytes;
  const void* values;
  int64_t num_values;
  void* out;

  __device__ void operator()(int64_t i, bool selected, int64_t k) const {
    if (selected && k < num_values) CopyElement(bytes, values, k, out, i);
  }
};

// Traps if there are more True elements than values. A check on the host would
// have to wait for the device.
struct CheckNumValues {
  const int64_t* num_selected;
  int64_t num_values;

  __device__ void operator()(int64_t) const {
    PADDLE_ENFORCE(*num_selected <= num_values,
                   "(masked_scatter) The number of elements of value should be "
                   "at least the number of True elements of the broadcast "
                   "mask, %lld, but received %lld.",
                   static_cast<long long>(*num_selected),
                   static_cast<long long>(num_values));
  }
};

// The next value = out_grad where the mask is True.
struct GatherElement {
  MaskAlong mask;
  int bytes;
  const void* out_grad;
  void* values;
  int64_t num_values;

  __device__ void operator()(int64_t i, bool selected, int64_t k) const {
    if (selected && k < num_values) CopyElement(bytes, out_grad, i, values, k);
  }
};

// The other elements of out = x, read along the output; without x: zeros.
template <typename Storage>
struct CopyUnselected {
  MaskAlong mask;
  const Storage* x;
  OperandView x_view;
  Storage* out;

  __device__ void operator()(int64_t i) const {
    if (mask[i] == 0) out[i] = x != nullptr ? x[x_view.Offset(i)] : Storage{};
  }
};

// out = out_grad, but zero where the mask is True. They may be the same.
template <typename Storage>
struct ClearSelected {
  MaskAlong mask;
  const Storage* out_grad;
  Storage* out;

  __device__ void operator()(int64_t i) const {
    out[i] = mask[i] != 0 ? Storage{} : out_grad[i];
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
  using Storage = StorageType<T>;
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
          ClearSelected<Storage>{mask,
                                 StorageData<Storage>(&out_grad),
                                 reinterpret_cast<Storage*>(data)});
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
  using Storage = ops::StorageType<T>;
  const int64_t numel = out->numel();
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const auto* x_data = static_cast<const Storage*>(x.data());
  auto from_mask = ops::AlongDims(out->dims(), mask);
  T* const out_data = dev_ctx.template Alloc<T>(out);
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::optional<DenseTensor> mask_copy;
  std::optional<DenseTensor> value_copy;
  from_mask.data = ops::CopyIfOverlapping<uint8_t>(
      dev_ctx, mask, out_data, out_bytes, &mask_copy);
  const T* const values = ops::CopyIfOverlapping<T>(
      dev_ctx, value, out_data, out_bytes, &value_copy);
  auto* const words = reinterpret_cast<Storage*>(out_data);
  if (x_data != words) {
    ops::ForEach(
        dev_ctx,
        numel,
        ops::CopyUnselected<Storage>{from_mask,
                                     x_data,
                                     ops::OperandView({out->dims(), x.dims()}),
                                     words});
  }
  const ops::ScatterElement scatter{
      from_mask, sizeof(T), values, value.numel(), out_data};
  DenseTensor memory;
  const int64_t* const num_selected =
      ops::VisitRanks(dev_ctx, numel, scatter, &memory);
  ops::ForEach(dev_ctx, 1, ops::CheckNumValues{num_selected, value.numel()});
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
  ops::ResizeLike(x, x_grad);
  ops::ResizeLike(value, value_grad);
  // Values that no True took keep the zeros.
  T* values = value_grad ? ops::AllocZeros<T>(dev_ctx, value_grad) : nullptr;
  if (numel == 0) {
    if (x_grad) ops::AllocZeros<T>(dev_ctx, x_grad);
    return;
  }

  const auto from_mask = ops::AlongDims(dims, mask);
  if (value_grad) {
    const ops::GatherElement gather{
        from_mask, sizeof(T), dout.data(), values, value_grad->numel()};
    DenseTensor memory;
    ops::VisitRanks(dev_ctx, numel, gather, &memory);
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
  using Storage = ops::StorageType<T>;
  ops::ForEach(
      dev_ctx,
      numel,
      ops::CopyUnselected<Storage>{
          from_mask,
          grad_x_grad ? ops::StorageData<Storage>(grad_x_grad.get_ptr())
                      : nullptr,
          ops::OperandView({dims, x.dims()}),
          reinterpret_cast<Storage*>(out)});
  ops::ScatterElement scatter{from_mask, sizeof(T), nullptr, numel, out};
  if (grad_value_grad && grad_value_grad->numel() > 0) {
    scatter.values = grad_value_grad->data();
    scatter.num_values = grad_value_grad->numel();
  }
  DenseTensor memory;
  ops::VisitRanks(dev_ctx, numel, scatter, &memory);
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
