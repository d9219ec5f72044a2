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

// Copy and clear by all threads, and memory besides the outputs, for the CPU
// kernels of the masked and scatter operators.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/tile_stores.h"

namespace phi {
namespace funcs {
namespace scatter_ops {

// Memory besides the outputs, which is not filled and starts with a cache line:
// vectors of aligned elements lie in one. Resize throws std::bad_alloc.
template <typename T>
class WorkArray {
 public:
  void Resize(int64_t size) { data_.reset(new (kLine) T[size]); }
  T* data() const { return data_.get(); }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  static constexpr std::align_val_t kLine{64};
  static_assert(std::is_trivially_destructible<T>::value);
  struct Delete {
    void operator()(T* data) const { ::operator delete[](data, kLine); }
  };
  std::unique_ptr<T[], Delete> data_;
};

// memcpy by all threads.
inline void ParallelCopy(void* out, const void* in, int64_t bytes) {
  if (out == in || bytes == 0) return;
  auto* to = static_cast<char*>(out);
  const auto* from = static_cast<const char*>(in);
  const Tiles tiles(bytes, 1);
  const Stores kind = StoresFor(bytes);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    const int64_t end = tiles.end(i);
    TileStores(kind).Copy(to + begin, from + begin, end - begin);
  });
}

// memset to zero by all threads.
inline void ParallelZero(void* out, int64_t bytes) {
  const Tiles tiles(bytes, 1);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    std::memset(static_cast<char*>(out) + tiles.begin(i),
                0,
                tiles.end(i) - tiles.begin(i));
  });
}

// to = the elements at `from`, which may be those of `to`.
template <typename T, typename Context>
void CopyInto(const Context& dev_ctx, const T* from, DenseTensor* to) {
  T* data = dev_ctx.template Alloc<T>(to);
  ParallelCopy(data, from, to->numel() * static_cast<int64_t>(sizeof(T)));
}

// An output of zeros.
template <typename T, typename Context>
T* AllocZeros(const Context& dev_ctx, DenseTensor* out) {
  T* data = dev_ctx.template Alloc<T>(out);
  ParallelZero(data, out->numel() * static_cast<int64_t>(sizeof(T)));
  return data;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
