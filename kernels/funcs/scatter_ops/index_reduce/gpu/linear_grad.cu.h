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

// Gradients of the reductions that are linear in x and updates, on the GPU.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/groups.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/gpu/lanes.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/arithmetic.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/grad_tensors.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// x_grad = out_grad.
template <typename T>
void CopyOutGradToX(const IndexGradTensors<T>& tensors,
                    const AxisView& view,
                    GpuStream stream) {
  if (tensors.x_grad == nullptr || tensors.x_grad == tensors.out_grad) return;
  cudaMemcpyAsync(tensors.x_grad,
                  tensors.out_grad,
                  view.outer * view.size * view.inner * sizeof(T),
                  cudaMemcpyDeviceToDevice,
                  stream);
}

// `groups` are by slot, but for a sum with x in it, which needs none.
template <typename T>
struct LinearGradArgs {
  SlotGroups groups;
  AxisView view;
  IndexReduce reduce;
  bool include_self;
  const T* out_grad;
  T* grad;

  // The gradient that each part of a sum or mean over `group` gets.
  __device__ T Share(T value, const SlotGroup& group) const {
    using Sum = typename ReduceType<T, IndexReduce::kMean>::type;
    if (reduce != IndexReduce::kMean) return value;
    return static_cast<T>(
        DivideByCount(static_cast<Sum>(value), group.size() + include_self));
  }
};

// The gradient of x. The group of a slot without updates is empty.
template <typename T, typename L>
__global__ void __launch_bounds__(kGpuThreads)
    LinearXGradGpuKernel(LinearGradArgs<T> args) {
  const bool self = args.include_self && args.reduce != IndexReduce::kAssign;
  const int64_t work = L::Work(args.view, args.view.size);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<L>(args.view, args.view.size, w);
    const L lanes(args.view, mine.row_block, mine.chunk);
    const SlotGroup group = args.groups[mine.item];
    const int64_t at = mine.item * args.view.inner;
    T values[L::kCount];
    lanes.Load(args.out_grad, lanes.x, at, values);
    if (group.begin != group.end) {
#pragma unroll
      for (int l = 0; l < L::kCount; ++l) {
        values[l] = self ? args.Share(values[l], group) : T{};
      }
    }
    lanes.Store(args.grad, lanes.x, at, values);
  }
}

// The gradient of updates, in the order of their memory. Positions behind the
// end of the index have none.
template <typename T, typename L>
__global__ void __launch_bounds__(kGpuThreads, MinBlocks<T, L>())
    LinearUpdatesGradGpuKernel(LinearGradArgs<T> args) {
  const int64_t work = L::Work(args.view, args.view.updates_size);
  for (int64_t w = GlobalThread(); w < work; w += GridThreads()) {
    const LaneWork mine = LaneWorkOf<L>(args.view, args.view.updates_size, w);
    const L lanes(args.view, mine.row_block, mine.chunk);
    T values[L::kCount] = {};
    if (mine.item < args.groups.n) {
      const int64_t slot = args.groups.slots[mine.item];
      SlotGroup group{};
      if (args.reduce != IndexReduce::kSum) group = args.groups[slot];
      if (args.reduce != IndexReduce::kAssign ||
          args.groups.order[group.end - 1] == mine.item) {
        lanes.Load(args.out_grad, lanes.x, slot * args.view.inner, values);
#pragma unroll
        for (int l = 0; l < L::kCount; ++l) {
          values[l] = args.Share(values[l], group);
        }
      }
    }
    lanes.Store(args.grad, lanes.updates, mine.item * args.view.inner, values);
  }
}

template <typename L, typename T>
void QueueLinearXGrad(const LinearGradArgs<T>& args,
                      int multiprocessors,
                      GpuStream stream) {
  const int64_t work = L::Work(args.view, args.view.size);
  LinearXGradGpuKernel<T, L>
      <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(args);
}

template <typename L, typename T>
void QueueLinearUpdatesGrad(const LinearGradArgs<T>& args,
                            int multiprocessors,
                            GpuStream stream) {
  const int64_t work = L::Work(args.view, args.view.updates_size);
  LinearUpdatesGradGpuKernel<T, L>
      <<<GridSize(work, multiprocessors), kGpuThreads, 0, stream>>>(args);
}

template <typename T, typename Context>
void LinearXGradGpu(const Context& dev_ctx, const LinearGradArgs<T>& args) {
  VisitLanes<T>(args.view, {args.out_grad, args.grad}, [&](auto* lanes) {
    using L = std::remove_pointer_t<decltype(lanes)>;
    QueueLinearXGrad<L>(args, dev_ctx.GetSMCount(), dev_ctx.stream());
  });
}

template <typename T, typename Context>
void LinearUpdatesGradGpu(const Context& dev_ctx,
                          const LinearGradArgs<T>& args) {
  VisitLanes<T>(args.view, {args.out_grad, args.grad}, [&](auto* lanes) {
    using L = std::remove_pointer_t<decltype(lanes)>;
    QueueLinearUpdatesGrad<L>(args, dev_ctx.GetSMCount(), dev_ctx.stream());
  });
}

template <typename T, typename Context>
void LinearGradGpu(const Context& dev_ctx,
                   const SlotGroups& groups,
                   const AxisView& view,
                   IndexReduce reduce,
                   bool include_self,
                   const IndexGradTensors<T>& tensors) {
  LinearGradArgs<T> args{groups,
                         view,
                         reduce,
                         include_self,
                         tensors.out_grad,
                         tensors.updates_grad};
  if (args.grad) LinearUpdatesGradGpu(dev_ctx, args);
  // Last, since it may be written over out_grad.
  args.grad = tensors.x_grad;
  if (args.grad == nullptr) return;
  if (reduce == IndexReduce::kSum && include_self) {
    CopyOutGradToX(tensors, view, dev_ctx.stream());
  } else {
    LinearXGradGpu(dev_ctx, args);
  }
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
