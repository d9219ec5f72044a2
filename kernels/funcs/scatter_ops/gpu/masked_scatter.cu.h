// masked_scatter and its gradients on the GPU.

#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

// Writes the broadcast of `data` to `out`.
template <typename Storage>
void Broadcast(const GPUContext& dev_ctx,
               const BroadcastView& view,
               int64_t numel,
               const Storage* data,
               Storage* out) {
  StoreEach(dev_ctx, numel, [=] __device__(int64_t i) {
    return Store<Storage>{out + i, data[view.Offset(i)]};
  });
}

// Returns the mask, or its broadcast in `memory`.
inline const uint8_t* BroadcastMask(const GPUContext& dev_ctx,
                                    const DDim& dims,
                                    const DDim& mask_dims,
                                    const uint8_t* mask,
                                    DenseTensor* memory) {
  const BroadcastView view(dims, mask_dims);
  if (view.is_flat()) return mask;
  const int64_t numel = common::product(dims);
  auto* out = AllocWorkspace<uint8_t>(dev_ctx, numel, memory);
  Broadcast(dev_ctx, view, numel, mask, out);
  return out;
}

// The mask as 0 and 1, for a scan.
struct MaskIterator {
  using iterator_category = std::random_access_iterator_tag;
  using value_type = int32_t;
  using difference_type = int64_t;
  using pointer = void;
  using reference = int32_t;

  const uint8_t* mask;

  HOSTDEVICE MaskIterator operator+(int64_t n) const { return {mask + n}; }
  __device__ int32_t operator[](int64_t n) const { return mask[n] != 0; }
  __device__ int32_t operator*() const { return *mask != 0; }
};

// Elements per scan: bounds the workspace.
constexpr int64_t kScanChunk = 1 << 24;

// Executes the Store that f(i, is_selected, k) returns for each element i (see
// StoreEach), where k counts the selected elements before a selected i. Then
// traps if there are more than num_values: a check on the host would
// synchronize the stream.
template <typename F>
void StoreRanked(const GPUContext& dev_ctx,
                 int64_t numel,
                 const uint8_t* mask,
                 int64_t num_values,
                 const F& f) {
  DenseTensor total_memory;
  DenseTensor ranks_memory;
  // The number of selected elements before the chunk, and the inclusive scan of
  // the chunk alone.
  auto* total = AllocWorkspace<int64_t>(dev_ctx, 1, &total_memory);
  auto* ranks = AllocWorkspace<int32_t>(
      dev_ctx, std::min(numel, kScanChunk), &ranks_memory);
  ClearBytes(dev_ctx, total, sizeof(int64_t));
  for (int64_t begin = 0; begin < numel; begin += kScanChunk) {
    const int n = static_cast<int>(std::min(numel - begin, kScanChunk));
    const MaskIterator flags{mask + begin};
    CallCub(dev_ctx, [&](void* temp_storage, size_t* bytes) {
      return cub::DeviceScan::InclusiveSum(
          temp_storage, *bytes, flags, ranks, n, dev_ctx.stream());
    });
    StoreEach(dev_ctx, n, [=] __device__(int64_t i) {
      const int64_t k = *total + ranks[i] - 1;
      return f(begin + i, mask[begin + i] != 0, k);
    });
    ForEach(dev_ctx, 1, [=] __device__(int64_t) {
      *total += ranks[n - 1];
      PADDLE_ENFORCE(*total <= num_values || begin + n < numel,
                     "(masked_scatter) The number of elements of value should "
                     "be at least the number of True elements of the broadcast "
                     "mask, %ld, but received %ld.",
                     *total,
                     num_values);
    });
  }
}

// out = x with zeros for the selected elements. out may be x.
template <typename Storage>
void ClearElements(const GPUContext& dev_ctx,
                   int64_t numel,
                   const Storage* x,
                   const uint8_t* mask,
                   Storage* out) {
  StoreEach(dev_ctx, numel, [=] __device__(int64_t i) {
    const bool is_selected = mask[i] != 0;
    return Store<Storage>{is_selected || x != out ? out + i : nullptr,
                          is_selected ? Storage{} : x[i]};
  });
}

// values[k] = x at the k-th selected element.
template <typename Storage>
void GatherElements(const GPUContext& dev_ctx,
                    int64_t numel,
                    const Storage* x,
                    const uint8_t* mask,
                    int64_t num_values,
                    Storage* values) {
  const auto f = [=] __device__(int64_t i, bool is_selected, int64_t k) {
    const bool is_stored = is_selected && k < num_values;
    return Store<Storage>{is_stored ? values + k : nullptr,
                          is_stored ? x[i] : Storage{}};
  };
  StoreRanked(dev_ctx, numel, mask, num_values, f);
}

// out = x, broadcast to `dims`, with the k-th selected element replaced by
// value[k]. A null x or value is read as zeros. out may be x, and may overlap
// mask and value.
template <typename Storage>
void ReplaceSelected(const GPUContext& dev_ctx,
                     const char* /*op*/,
                     const DDim& dims,
                     const DenseTensor* x,
                     const DenseTensor& mask,
                     const DenseTensor* value,
                     void* out_data) {
  auto* out = static_cast<Storage*>(out_data);
  const int64_t numel = common::product(dims);
  if (numel == 0) return;
  const int64_t bytes = numel * static_cast<int64_t>(sizeof(Storage));
  std::unique_ptr<DenseTensor> mask_copy;
  std::unique_ptr<DenseTensor> value_copy;
  DenseTensor memory;
  const uint8_t* selected = BroadcastMask(
      dev_ctx,
      dims,
      mask.dims(),
      CopyIfOverlapping<uint8_t>(dev_ctx, mask, out, bytes, &mask_copy),
      &memory);
  const int64_t num_values = value ? value->numel() : 0;
  const Storage* values = value ? CopyIfOverlapping<Storage>(
                                      dev_ctx, *value, out, bytes, &value_copy)
                                : nullptr;
  const Storage* x_data = StorageData<Storage>(x);
  if (x_data == nullptr) {
    ClearBytes(dev_ctx, out, bytes);
    x_data = out;
  } else if (x->numel() != numel) {
    Broadcast(dev_ctx, BroadcastView(dims, x->dims()), numel, x_data, out);
    x_data = out;
  }
  if (value == nullptr) {
    ClearElements(dev_ctx, numel, x_data, selected, out);
    return;
  }
  const auto f = [=] __device__(int64_t i, bool is_selected, int64_t k) {
    const bool is_stored = is_selected ? k < num_values : x_data != out;
    const Storage* from = is_selected ? values + k : x_data + i;
    return Store<Storage>{is_stored ? out + i : nullptr,
                          is_stored ? *from : Storage{}};
  };
  StoreRanked(dev_ctx, numel, selected, num_values, f);
}

constexpr int64_t kSumChunk = 128;

// Sums `in`, of shape `dims`, over the axes along which a Tensor of shape
// `out_dims` is broadcast. Neither may be empty. The order depends on the
// shapes alone, and is not that of the CPU kernel.
template <typename Sum, typename In, typename T>
void SumBroadcastAxes(const GPUContext& dev_ctx,
                      const DDim& dims,
                      const In* in,
                      const DDim& out_dims,
                      T* out) {
  const BroadcastView view(dims, out_dims);
  const int64_t num_outputs = common::product(out_dims);
  const int64_t num_terms = common::product(dims) / num_outputs;
  const int64_t num_parts = (num_terms + kSumChunk - 1) / kSumChunk;
  const int64_t num_sums = num_outputs * num_parts;
  DenseTensor memory;
  Sum* sums = num_parts == 1 ? nullptr
                             : AllocWorkspace<Sum>(dev_ctx, num_sums, &memory);
  // The offset in `in` of term s of output k.
  const auto locate = [=] __device__(int64_t k, int64_t s) {
    int64_t offset = 0;
    int64_t stride = 1;
#pragma unroll 1  // a division: see GpuKernel
    for (int a = view.rank() - 1; a >= 0; --a) {
      const int64_t dim = view.dim(a);
      int64_t& i = view.stride(a) == 0 ? s : k;
      const int64_t outer = i / dim;
      offset += (i - outer * dim) * stride;
      i = outer;
      stride *= dim;
    }
    return offset;
  };
  ForEach(dev_ctx, num_sums, [=] __device__(int64_t i) {
    const int64_t part = i / num_outputs;
    const int64_t k = i - part * num_outputs;
    Sum sum{};
#pragma unroll 1
    for (int64_t s = part; s < num_terms; s += num_parts) {
      sum += static_cast<Sum>(in[locate(k, s)]);
    }
    if (sums != nullptr) {
      sums[i] = sum;
    } else {
      out[i] = static_cast<T>(sum);
    }
  });
  if (num_parts == 1) return;
  const DDim sums_dims = common::make_ddim({num_parts, num_outputs});
  SumBroadcastAxes<Sum>(
      dev_ctx, sums_dims, sums, common::make_ddim({num_outputs}), out);
}

// x_grad = out_grad with zeros for the selected elements, summed to its shape.
// value_grad = the selected elements, then zeros. Either may be null; x_grad
// may have the memory of out_grad.
template <typename T>
void MaskedScatterGrad(const GPUContext& dev_ctx,
                       const DenseTensor& out_grad,
                       const DenseTensor& mask,
                       DenseTensor* x_grad,
                       DenseTensor* value_grad) {
  using Storage = StorageType<T>;
  const DDim& dims = out_grad.dims();
  const int64_t numel = out_grad.numel();
  // Zero for values without a True element.
  auto* values = reinterpret_cast<Storage*>(
      value_grad ? AllocZeros<T>(dev_ctx, value_grad) : nullptr);
  if (numel == 0) {
    if (x_grad) AllocZeros<T>(dev_ctx, x_grad);
    return;
  }
  const Storage* grad = StorageData<Storage>(&out_grad);
  DenseTensor memory;
  const uint8_t* selected = BroadcastMask(
      dev_ctx, dims, mask.dims(), StorageData<uint8_t>(&mask), &memory);
  if (value_grad) {
    GatherElements(dev_ctx, numel, grad, selected, value_grad->numel(), values);
  }
  if (!x_grad) return;
  const bool is_broadcast = x_grad->numel() != numel;
  DenseTensor workspace;
  workspace.Resize(dims);
  T* masked = dev_ctx.template Alloc<T>(is_broadcast ? &workspace : x_grad);
  ClearElements(
      dev_ctx, numel, grad, selected, reinterpret_cast<Storage*>(masked));
  if (!is_broadcast) return;
  using Sum = typename BroadcastAccTypeOf<T>::type;
  T* sums = dev_ctx.template Alloc<T>(x_grad);
  SumBroadcastAxes<Sum>(dev_ctx, dims, masked, x_grad->dims(), sums);
}

}  // namespace phi::funcs::scatter_ops
