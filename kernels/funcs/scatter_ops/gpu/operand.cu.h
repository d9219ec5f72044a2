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

// Operands that are broadcast to a row-major output, as kernel arguments: where
// they hold an element, and how 16 bytes of them are read at once.

#pragma once

#include <cstdint>

#include "paddle/phi/kernels/funcs/aligned_vector.h"
#include "paddle/phi/kernels/funcs/fast_divmod.h"
#include "paddle/phi/kernels/funcs/scatter_ops/gpu/device.cu.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/broadcast_view.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/buffers.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Where an operand holds an output element, and how many elements, this one
// included, are left of the innermost axis.
struct OperandPlace {
  int64_t offset;
  int64_t left;
};

// Maps row-major numbers to offsets in an operand: a BroadcastView as a kernel
// argument, or axes of the caller's choice.
class OperandView {
 public:
  OperandView() = default;

  explicit OperandView(const BroadcastView& view) {
    for (int i = 0; i < view.rank(); ++i) Append(view.dim(i), view.stride(i));
  }

  // Adds the next inner axis.
  void Append(int64_t dim, int64_t stride) {
    axes_[rank_++] = {dim, stride, FastDivMod<int64_t>(dim)};
    inner_stride_ = stride;
    numel_ *= dim;
    is_flat_ = rank_ == 1 && stride == 1;
  }

  // The operand is laid out like the output.
  bool is_flat() const { return is_flat_; }

  HOSTDEVICE int64_t numel() const { return numel_; }

  // Neighbours along the innermost axis share an element of the operand.
  __device__ bool RepeatsAlongRows() const { return inner_stride_ == 0; }

  __device__ OperandPlace Locate(int64_t i) const {
    if (is_flat_) return {i, numel_ - i};
    OperandPlace place{0, 0};
#pragma unroll 1
    for (int a = rank_ - 1; a >= 0; --a) {
      const Axis& axis = axes_[a];
      const int64_t outer = a > 0 ? axis.by_dim.Div(i) : 0;
      const int64_t index = i - outer * axis.dim;
      place.offset += index * axis.stride;
      if (a == rank_ - 1) place.left = axis.dim - index;
      i = outer;
    }
    return place;
  }

  __device__ int64_t Offset(int64_t i) const { return Locate(i).offset; }

 private:
  struct Axis {
    int64_t dim;
    int64_t stride;
    FastDivMod<int64_t> by_dim;
  };

  int rank_ = 0;
  bool is_flat_ = false;
  int64_t inner_stride_ = 0;
  int64_t numel_ = 1;
  Axis axes_[DDim::kMaxRank + 1];
};

// One operand of a kernel, read along the output.
template <typename Word>
struct GpuOperand {
  const Word* data = nullptr;
  OperandView view;
};

template <typename Word>
GpuOperand<Word> OperandAlong(const DDim& dims, const DenseTensor& tensor) {
  return {static_cast<const Word*>(tensor.data()),
          OperandView({dims, tensor.dims()})};
}

// The same, staying readable while `bytes` bytes of `out` are written.
template <typename Word>
GpuOperand<Word> OperandApart(const GPUContext& dev_ctx,
                              const DDim& dims,
                              const DenseTensor& tensor,
                              const void* out,
                              int64_t bytes,
                              DenseTensor* copy) {
  return {ReadApart<Word>(dev_ctx, tensor, out, bytes, copy),
          OperandView({dims, tensor.dims()})};
}

// Whether packs of N elements of an operand are aligned neighbours.
template <int N, typename Word>
bool CanReadFlat(const GpuOperand<Word>& operand) {
  return operand.view.is_flat() && IsAligned(operand.data, sizeof(Word) * N);
}

// N neighbours in registers. Small elements share them: each in one of its own
// would take four times as many. Lanes must be known at compile time.
template <typename Word, int N>
class Pack {
 public:
  __device__ void Load(const Word* p) {
    phi::Load(reinterpret_cast<const Unit*>(p), &units_);
  }

  __device__ void Store(Word* p) const {
    phi::Store(units_, reinterpret_cast<Unit*>(p));
  }

  __device__ Word operator[](int j) const {
    if constexpr (kPerUnit == 1) {
      return units_[j];
    } else {
      return static_cast<Word>(units_[j / kPerUnit] >> Shift(j));
    }
  }

  __device__ void Set(int j, Word value) {
    if constexpr (kPerUnit == 1) {
      units_[j] = value;
    } else {
      constexpr Unit kLane = (Unit{1} << 8 * sizeof(Word)) - 1;
      Unit* unit = &units_[j / kPerUnit];
      *unit = (*unit & ~(kLane << Shift(j))) | Unit{value} << Shift(j);
    }
  }

 private:
  static constexpr int kBytes = sizeof(Word) * N;
  static constexpr int kUnitBytes =
      sizeof(Word) < 4 && kBytes >= 4 ? 4 : static_cast<int>(sizeof(Word));
  static constexpr int kPerUnit = kUnitBytes / static_cast<int>(sizeof(Word));
  using Unit = typename WordOf<kUnitBytes>::type;

  __device__ static int Shift(int j) {
    return j % kPerUnit * 8 * static_cast<int>(sizeof(Word));
  }

  AlignedVector<Unit, kBytes / kUnitBytes> units_ = {};
};

// Output elements [i, i + N), all of which exist, of an operand with data,
// which CanReadFlat if kFlat.
template <typename Word, int N, bool kFlat>
__device__ inline Pack<Word, N> ReadPack(const GpuOperand<Word>& operand,
                                         int64_t i) {
  Pack<Word, N> pack;
  if constexpr (kFlat) {
    pack.Load(operand.data + i);
    return pack;
  }
  const OperandPlace place = operand.view.Locate(i);
  const Word* first = operand.data + place.offset;
  if (place.left < N) {
    // Shifted in one after the other: a register has no address.
#pragma unroll 1
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int l = 1; l < N; ++l) pack.Set(l - 1, pack[l]);
      pack.Set(N - 1, operand.data[operand.view.Offset(i + j)]);
    }
  } else if (operand.view.RepeatsAlongRows()) {
    const Word word = *first;
#pragma unroll
    for (int j = 0; j < N; ++j) pack.Set(j, word);
  } else if (reinterpret_cast<uintptr_t>(first) % sizeof(pack) == 0) {
    pack.Load(first);
  } else {
#pragma unroll
    for (int j = 0; j < N; ++j) pack.Set(j, first[j]);
  }
  return pack;
}

// Bit j tells whether byte j is True, which may be any byte but 0.
template <int N>
__device__ inline unsigned BitsOf(const Pack<uint8_t, N>& mask) {
  unsigned bits = 0;
#pragma unroll
  for (int j = 0; j < N; ++j) bits |= (mask[j] != 0 ? 1u : 0u) << j;
  return bits;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
