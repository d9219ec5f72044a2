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

// masked_scatter and its gradients on the GPU: one exclusive scan over the
// mask, whose output iterator copies an element as its rank is assigned.
// Gradients of a broadcast x are summed in a fixed order, without atomics.

#include "paddle/phi/kernels/masked_scatter_kernel.h"
#include "paddle/phi/kernels/masked_scatter_grad_kernel.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "paddle/phi/core/kernel_registry.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/broadcast_sum.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// A mask, indexed by the linear index of an output element.
struct BroadcastMask {
  const uint8_t* data;
  OperandView view;

  __device__ uint8_t operator[](int64_t i) const {
    return data[view.Offset(i)];
  }
};

inline BroadcastMask MakeBroadcastMask(const DDim& dims,
                                       const DenseTensor& mask) {
  return {static_cast<const uint8_t*>(mask.data()),
          OperandView({dims, mask.dims()})};
}

// Copies the k-th selected element: scatters from[k] to to[i], or gathers
// from[i] to to[k]. The branch on the element size is uniform, so one
// instantiation of the scan serves all dtypes.
struct SelectedCopier {
  const void* from;
  void* to;
  int64_t num_values;
  int element_size;
  bool is_gather;

  __device__ void operator()(int64_t i, int64_t k) const {
    if (k >= num_values) return;
    const int64_t source = is_gather ? i : k;
    const int64_t target = is_gather ? k : i;
    switch (element_size) {
      case 1:
        return CopyElement<uint8_t>(source, target);
      case 2:
        return CopyElement<uint16_t>(source, target);
      case 4:
        return CopyElement<uint32_t>(source, target);
      case 8:
        return CopyElement<uint64_t>(source, target);
      default:
        return CopyElement<Bytes16>(source, target);
    }
  }

  template <typename Storage>
  __device__ void CopyElement(int64_t source, int64_t target) const {
    static_cast<Storage*>(to)[target] =
        static_cast<const Storage*>(from)[source];
  }
};

// A chunk of the scan: elements up to `end`, preceded by before[0] selected
// ones. Stores the number of selected elements up to `end` in before[1].
struct ScanChunk {
  BroadcastMask mask;
  SelectedCopier copier;
  int64_t* before;
  int64_t end;

  __device__ void Visit(int64_t i, int k) const {
    const bool selected = mask[i] != 0;
    if (selected) CopySelected(i, k);
    if (i + 1 == end) before[1] = before[0] + k + selected;
  }

  // Inlined for each item of a thread, it would raise the register pressure of
  // the scan.
  __device__ __attribute__((noinline)) void CopySelected(int64_t i,
                                                         int k) const {
    copier(i, before[0] + k);
  }
};

// The input iterator of the scan: the mask as 0 and 1, from element `at` on.
// Iterators point to the chunk: each thread has a copy of them in registers.
struct MaskInputIterator {
  using value_type = int;  // 64-bit ranks would need twice the registers
  using reference = int;
  using pointer = void;
  using difference_type = int64_t;
  using iterator_category = std::random_access_iterator_tag;

  const ScanChunk* chunk;
  int64_t at;

  __device__ int operator*() const { return (*this)[0]; }
  __device__ int operator[](int64_t i) const {
    return chunk->mask[at + i] != 0;
  }
  HOSTDEVICE MaskInputIterator operator+(int64_t i) const {
    return {chunk, at + i};
  }
};

// The output iterator of the scan: assigning rank k to element i visits it.
struct RankOutputIterator {
  struct Element {
    const ScanChunk* chunk;
    int64_t i;

    __device__ void operator=(int k) const { chunk->Visit(i, k); }
  };
  using value_type = int;
  using reference = Element;
  using pointer = void;
  using difference_type = int64_t;
  using iterator_category = std::random_access_iterator_tag;

  const ScanChunk* chunk;
  int64_t at;

  __device__ Element operator*() const { return {chunk, at}; }
  __device__ Element operator[](int64_t i) const { return {chunk, at + i}; }
  HOSTDEVICE RankOutputIterator operator+(int64_t i) const {
    return {chunk, at + i};
  }
};

// CUB before CCCL 2.8 takes the number of items as an int.
constexpr int64_t kMaxScanItems = 1 << 30;

// Traps if there are more True elements than values: a check on the host would
// synchronize the stream.
inline void CheckNumValues(const GPUContext& dev_ctx,
                           const int64_t* num_selected,
                           int64_t num_values) {
  ForEach(dev_ctx, 1, [=] __device__(int64_t) {
    PADDLE_ENFORCE(*num_selected <= num_values,
                   "(masked_scatter) The number of elements of value should be "
                   "at least the number of True elements of the broadcast "
                   "mask, %lld, but received %lld.",
                   static_cast<long long>(*num_selected),
                   static_cast<long long>(num_values));
  });
}

// Calls `copier` for the selected elements, and checks that it has a value for
// each.
inline void ForEachSelected(const GPUContext& dev_ctx,
                            int64_t numel,
                            const BroadcastMask& mask,
                            const SelectedCopier& copier) {
  DenseTensor chunk_memory;
  DenseTensor before_memory;
  auto* chunk = AllocWorkspace<ScanChunk>(dev_ctx, 1, &chunk_memory);
  const int64_t num_chunks = (numel + kMaxScanItems - 1) / kMaxScanItems;
  auto* before =
      AllocWorkspace<int64_t>(dev_ctx, num_chunks + 1, &before_memory);
  ClearBytes(dev_ctx, before, sizeof(int64_t));
  for (int64_t begin = 0; begin < numel; begin += kMaxScanItems, ++before) {
    const int64_t end = std::min(numel, begin + kMaxScanItems);
    ForEach(dev_ctx, 1, [=] __device__(int64_t) {
      *chunk = {mask, copier, before, end};
    });
    CallCub(dev_ctx, [&](void* temp_storage, size_t* bytes) {
      return cub::DeviceScan::ExclusiveSum(temp_storage,
                                           *bytes,
                                           MaskInputIterator{chunk, begin},
                                           RankOutputIterator{chunk, begin},
                                           static_cast<int>(end - begin),
                                           dev_ctx.stream());
    });
  }
  CheckNumValues(dev_ctx, before, copier.num_values);
}

// out = zero where the mask is True, else x, broadcast to the shape of out. A
// null x stands for zeros.
template <typename Storage>
void CopyUnselected(const GPUContext& dev_ctx,
                    int64_t numel,
                    const BroadcastMask& mask,
                    const Storage* x,
                    const OperandView& x_view,
                    Storage* out) {
  ForEach(dev_ctx, numel, [=] __device__(int64_t i) {
    const bool is_zero = x == nullptr || mask[i] != 0;
    out[i] = is_zero ? Storage{} : x[x_view.Offset(i)];
  });
}

// grad = out_grad, of shape `dims`, with zeros where mask is True, summed to
// the shape of grad. grad may share the memory of out_grad but must be another
// object. out_grad must not be empty.
template <typename T>
void MaskedGradInto(const GPUContext& dev_ctx,
                    const DenseTensor& out_grad,
                    const DDim& dims,
                    const BroadcastMask& mask,
                    DenseTensor* grad) {
  using Storage = StorageType<T>;
  const int64_t numel = common::product(dims);
  const bool is_sum = grad->numel() != numel;
  if (is_sum) grad->clear();  // may share the memory of out_grad
  T* data = dev_ctx.template Alloc<T>(grad);
  if (is_sum) {
    using Sum = typename BroadcastAccTypeOf<T>::type;
    const T* in = out_grad.data<T>();
    const auto unmasked = [=] __device__(int64_t i) {
      return mask[i] != 0 ? Sum{} : static_cast<Sum>(in[i]);
    };
    SumInto<Sum>(dev_ctx, unmasked, ReductionAxes(dims, grad->dims()), data);
    return;
  }
  CopyUnselected(dev_ctx,
                 numel,
                 mask,
                 StorageData<Storage>(&out_grad),
                 OperandView({dims, dims}),
                 reinterpret_cast<Storage*>(data));
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
  // Read before out is allocated: if x is out and InferMeta has enlarged it,
  // this throws.
  const auto* x_data = static_cast<const Storage*>(x.data());
  auto broadcast_mask = ops::MakeBroadcastMask(out->dims(), mask);
  T* const out_data = dev_ctx.template Alloc<T>(out);
  const int64_t out_bytes = numel * static_cast<int64_t>(sizeof(T));
  std::optional<DenseTensor> mask_copy;
  std::optional<DenseTensor> value_copy;
  broadcast_mask.data = ops::CopyIfOverlapping<uint8_t>(
      dev_ctx, mask, out_data, out_bytes, &mask_copy);
  const Storage* const values = ops::CopyIfOverlapping<Storage>(
      dev_ctx, value, out_data, out_bytes, &value_copy);
  auto* const out_elements = reinterpret_cast<Storage*>(out_data);
  if (x_data != out_elements) {
    const ops::OperandView x_view({out->dims(), x.dims()});
    ops::CopyUnselected(
        dev_ctx, numel, broadcast_mask, x_data, x_view, out_elements);
  }
  const ops::SelectedCopier scatter{
      values, out_elements, value.numel(), sizeof(T), /*is_gather=*/false};
  ops::ForEachSelected(dev_ctx, numel, broadcast_mask, scatter);
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
  // Zero for values without a True element.
  T* values = value_grad ? ops::AllocZeros<T>(dev_ctx, value_grad) : nullptr;
  if (numel == 0) {
    if (x_grad) ops::AllocZeros<T>(dev_ctx, x_grad);
    return;
  }

  const auto broadcast_mask = ops::MakeBroadcastMask(dims, mask);
  if (value_grad) {
    const ops::SelectedCopier gather{dout.data(),
                                     values,
                                     value_grad->numel(),
                                     sizeof(T),
                                     /*is_gather=*/true};
    ops::ForEachSelected(dev_ctx, numel, broadcast_mask, gather);
  }
  // Last, since it may be written over out_grad.
  if (x_grad)
    ops::MaskedGradInto<T>(dev_ctx, dout, dims, broadcast_mask, x_grad);
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
  using Storage = ops::StorageType<T>;
  auto* out =
      reinterpret_cast<Storage*>(dev_ctx.template Alloc<T>(grad_out_grad));
  if (numel == 0) return;
  const auto broadcast_mask = ops::MakeBroadcastMask(dims, mask);
  ops::CopyUnselected(dev_ctx,
                      numel,
                      broadcast_mask,
                      ops::StorageData<Storage>(grad_x_grad.get_ptr()),
                      ops::OperandView({dims, x.dims()}),
                      out);
  if (!grad_value_grad) return;
  const auto* values = ops::StorageData<Storage>(grad_value_grad.get_ptr());
  const ops::SelectedCopier scatter{
      values, out, value.numel(), sizeof(T), /*is_gather=*/false};
  ops::ForEachSelected(dev_ctx, numel, broadcast_mask, scatter);
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
