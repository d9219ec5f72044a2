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

// masked_scatter and its gradients on the GPU: the Trues of each tile of the
// mask are counted, the counts are scanned, and each tile moves its elements.
// Sums for an x that was broadcast are made in a fixed order, without atomics.

#include "paddle/phi/kernels/masked_scatter_kernel.h"
#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"

#include <algorithm>
#include <cstdint>

#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// One operand of a kernel, read along the output. Without data: zeros.
template <typename Word>
struct GpuOperand {
  const Word* data = nullptr;
  OperandView view = {};

  __device__ Word operator[](int64_t i) const {
    return data != nullptr ? data[view.Offset(i)] : Word{};
  }
};

template <typename Word>
GpuOperand<Word> OperandAlong(const DDim& dims, const DenseTensor& tensor) {
  return {static_cast<const Word*>(tensor.data()),
          OperandView({dims, tensor.dims()})};
}

// A tile is an element for each thread of a block. Calls f(i, take, k) for each
// element i, with whether it is True and how many Trues come before it: in its
// tile, and before that as many as `before` has for the tile, unless it is
// null.
template <typename F>
__global__ void __launch_bounds__(kGpuThreads) VisitTilesGpuKernel(
    GpuOperand<uint8_t> mask, int64_t numel, const int64_t* before, F f) {
  using Scan = cub::BlockScan<int, kGpuThreads>;
  __shared__ typename Scan::TempStorage storage;
  const int64_t i =
      static_cast<int64_t>(blockIdx.x) * kGpuThreads + threadIdx.x;
  const bool take = i < numel && mask[i] != 0;
  int in_tile = 0;
  Scan(storage).ExclusiveSum(take ? 1 : 0, in_tile);
  const int64_t first = before != nullptr ? before[blockIdx.x] : 0;
  if (i < numel) f(i, take, first + in_tile);
}

// There must be an element.
template <typename F>
void VisitTiles(const GPUContext& dev_ctx,
                const GpuOperand<uint8_t>& mask,
                int64_t numel,
                const int64_t* before,
                const F& f) {
  VisitTilesGpuKernel<F>
      <<<BlocksFor(numel), kGpuThreads, 0, dev_ctx.stream()>>>(
          mask, numel, before, f);
}

// The last element of a tile knows how many Trues the tile has.
struct CountTile {
  int64_t numel;
  int64_t* counts;

  __device__ void operator()(int64_t i, bool take, int64_t k) const {
    if (i + 1 == numel || threadIdx.x + 1 == kGpuThreads) {
      counts[blockIdx.x] = k + take;
    }
  }
};

// How many Trues of a mask, read along `numel` elements, come before each tile,
// and in all: on the device, in `memory`.
inline const int64_t* TruesBefore(const GPUContext& dev_ctx,
                                  const GpuOperand<uint8_t>& mask,
                                  int64_t numel,
                                  DenseTensor* memory) {
  const int tiles = BlocksFor(numel);
  const int64_t room = 2 * static_cast<int64_t>(tiles) + 1;
  int64_t* before = AllocScratch<int64_t>(dev_ctx, room, memory);
  int64_t* counts = before + tiles + 1;
  VisitTiles(dev_ctx, mask, numel, nullptr, CountTile{numel, counts});
  ClearBytes(dev_ctx, before, sizeof(int64_t));
  CallCub(dev_ctx, [&](void* temporary, size_t* bytes) {
    return cub::DeviceScan::InclusiveSum(
        temporary, *bytes, counts, before + 1, tiles, dev_ctx.stream());
  });
  return before;
}

// The host waits for the device.
inline int64_t ReadNumber(const GPUContext& dev_ctx, const int64_t* number) {
  int64_t found = 0;
  backends::gpu::GpuMemcpyAsync(
      &found, number, sizeof(int64_t), gpuMemcpyDeviceToHost, dev_ctx.stream());
  dev_ctx.Wait();
  return found;
}

// out = mask ? the next value : x. Without values: zeros. out may be x.
template <typename Word>
struct ScatterElement {
  GpuOperand<Word> x;
  const Word* values;
  Word* out;

  __device__ void operator()(int64_t i, bool take, int64_t k) const {
    if (take) {
      out[i] = values != nullptr ? values[k] : Word{};
    } else {
      out[i] = x[i];
    }
  }
};

// The next value = out_grad where the mask is True.
template <typename Word>
struct GatherElement {
  const Word* out_grad;
  Word* values;
  int64_t value_numel;

  __device__ void operator()(int64_t i, bool take, int64_t k) const {
    if (take && k < value_numel) values[k] = out_grad[i];
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
__global__ void __launch_bounds__(kGpuThreads) SumUnmaskedGpuKernel(
    const T* in, GpuOperand<uint8_t> mask, SumAxes axes, T* target) {
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
                    const GpuOperand<uint8_t>& mask,
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
    return;
  }
  const GpuOperand<Word> from{WordsOf<Word>(&out_grad),
                              OperandView({dims, dims})};
  VisitTiles(
      dev_ctx,
      mask,
      numel,
      nullptr,
      ScatterElement<Word>{from, nullptr, reinterpret_cast<Word*>(data)});
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
  using Word = ops::WordOf<T>;
  const int64_t numel = out->numel();
  if (numel == 0) {
    dev_ctx.template Alloc<T>(out);
    return;
  }
  // Before out is allocated: x may be out, which InferMeta has enlarged, and
  // its memory too small for that. Then this throws.
  const auto from_x = ops::OperandAlong<Word>(out->dims(), x);
  auto from_mask = ops::OperandAlong<uint8_t>(out->dims(), mask);
  DenseTensor counts;
  const int64_t* before = ops::TruesBefore(dev_ctx, from_mask, numel, &counts);
  // Any longer value is long enough, and the host need not wait.
  if (value.numel() < numel) {
    const int64_t* total = before + ops::BlocksFor(numel);
    ops::CheckEnoughValues(
        "masked_scatter", ops::ReadNumber(dev_ctx, total), value.numel());
  }
  Word* out_data = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(out));
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::optional<DenseTensor> mask_copy;
  std::optional<DenseTensor> value_copy;
  from_mask.data =
      ops::ReadApart<uint8_t>(dev_ctx, mask, out_data, out_bytes, &mask_copy);
  const Word* values =
      ops::ReadApart<Word>(dev_ctx, value, out_data, out_bytes, &value_copy);
  ops::VisitTiles(dev_ctx,
                  from_mask,
                  numel,
                  before,
                  ops::ScatterElement<Word>{from_x, values, out_data});
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
  using Word = ops::WordOf<T>;
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

  const auto from_mask = ops::OperandAlong<uint8_t>(dims, mask);
  if (value_grad) {
    DenseTensor counts;
    ops::VisitTiles(dev_ctx,
                    from_mask,
                    numel,
                    ops::TruesBefore(dev_ctx, from_mask, numel, &counts),
                    ops::GatherElement<Word>{ops::WordsOf<Word>(&dout),
                                             reinterpret_cast<Word*>(values),
                                             value_grad->numel()});
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
  using Word = ops::WordOf<T>;
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
  Word* out = reinterpret_cast<Word*>(dev_ctx.template Alloc<T>(grad_out_grad));
  if (numel == 0) return;

  const auto from_mask = ops::OperandAlong<uint8_t>(dims, mask);
  ops::ScatterElement<Word> scatter{{}, nullptr, out};
  if (grad_x_grad) scatter.x = ops::OperandAlong<Word>(dims, *grad_x_grad);
  if (grad_value_grad && grad_value_grad->numel() > 0) {
    scatter.values = static_cast<const Word*>(grad_value_grad->data());
  }
  DenseTensor counts;
  ops::VisitTiles(dev_ctx,
                  from_mask,
                  numel,
                  ops::TruesBefore(dev_ctx, from_mask, numel, &counts),
                  scatter);
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
