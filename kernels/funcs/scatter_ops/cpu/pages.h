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

// How the CPU kernels of the masked and scatter operators get and fill the
// memory of large outputs: with few page faults.

#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "paddle/common/flags.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/kept_blocks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/threads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/tile_stores.h"

PHI_DECLARE_bool(scatter_ops_use_huge_pages);

namespace phi {
namespace funcs {
namespace scatter_ops {

// Asks for huge pages inside a big fresh buffer: page faults of 4 KiB cost
// several times the copy itself. A hint: harmless where it has no effect.
// scatter_op_flags.cc says when it is given, and how to turn it off.
inline void AdviseHugePages(void* data, int64_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr int64_t kPage = 2 << 20;
  if (bytes < 2 * kPage || !FLAGS_scatter_ops_use_huge_pages) return;
  const uintptr_t start = reinterpret_cast<uintptr_t>(data);
  const uintptr_t first = (start + kPage - 1) / kPage * kPage;
  const uintptr_t last = (start + bytes) / kPage * kPage;
  if (last > first) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
  }
#endif
}

// The whole pages in a part of an output.
class WholePages {
 public:
  WholePages(const void* begin, const void* end) {
#ifdef __linux__
    static const uintptr_t page = sysconf(_SC_PAGESIZE);
    page_ = page;
    first_ = (reinterpret_cast<uintptr_t>(begin) + page - 1) / page * page;
    const uintptr_t last = reinterpret_cast<uintptr_t>(end) / page * page;
    if (last > first_) bytes_ = last - first_;
#endif
  }

  int64_t bytes() const { return bytes_; }

  // Whether they are mapped, by the first of them: outputs are filled as a
  // whole.
  bool AreThere() const { return bytes_ > 0 && IsThere(first_); }

  bool FirstAndLastAreThere() const {
    return AreThere() && IsThere(first_ + bytes_ - page_);
  }

  // Maps them by one call: where there are no huge pages, a fault for each
  // costs more. A hint; Linux before 5.14 ignores it.
  void Populate() const {
#ifdef __linux__
    constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE
    madvise(reinterpret_cast<void*>(first_), bytes_, kPopulateWrite);
#endif
  }

 private:
  bool IsThere(uintptr_t page) const {
#ifdef __linux__
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(page), page_, &resident) == 0 &&
           (resident & 1) != 0;
#else
    return false;
#endif
  }

  uintptr_t page_ = 0;
  uintptr_t first_ = 0;
  int64_t bytes_ = 0;
};

// Maps the pages of a part of a fresh output, which the calling thread is about
// to fill. Returns whether they are there already, as those of memory are that
// malloc hands out again: to walk them would only cost.
template <typename Word>
bool PopulatePages(Word* data, int64_t begin, int64_t end) {
  const WholePages pages(data + begin, data + end);
  if (pages.bytes() < kPopulateBytes) return false;
  if (pages.AreThere()) return true;
  pages.Populate();
  return false;
}

// How to store `out` of so many bytes, which is made from `in` or in place.
// Fresh pages, which Linux clears when they are first stored to, are then in a
// cache.
inline Stores StoresInto(const void* out, const void* in, int64_t bytes) {
  if (out == in) return Stores::kOrdinary;
  const auto* begin = static_cast<const char*>(out);
  const bool fresh = !WholePages(begin, begin + bytes).AreThere();
  return fresh ? Stores::kOrdinary : StoresFor(bytes);
}

// The pages of an output that threads fill by tiles, from `in` or in place.
// Only where the first or the last is missing is Linux asked for those of each
// tile: that takes a twelfth of a copy of 4 MiB.
template <typename Word>
class OutputPages {
 public:
  // Without `past_caches` no tile is stored past the caches.
  OutputPages(Word* out,
              const Word* in,
              const Tiles& tiles,
              bool past_caches = true)
      : out_(out),
        in_place_(out == in),
        stores_(past_caches ? StoresFor(tiles.numel * kItem)
                            : Stores::kOrdinary) {
    there_ = !in_place_ && tiles.size * kItem >= kPopulateBytes &&
             WholePages(out, out + tiles.numel).FirstAndLastAreThere();
  }

  // How to store a tile, whose pages this maps.
  TileStores Prepare(int64_t begin, int64_t end) const {
    const bool there =
        there_ || (!in_place_ && PopulatePages(out_, begin, end));
    return TileStores(there ? stores_ : Stores::kOrdinary);
  }

 private:
  static constexpr int64_t kItem = sizeof(Word);

  Word* out_;
  bool in_place_;
  bool there_;
  Stores stores_;
};

// Memory besides the outputs, which is not filled and starts with a cache line:
// vectors of aligned elements lie in one. Resize throws std::bad_alloc.
template <typename T>
class WorkArray {
 public:
  void Resize(int64_t size) {
    data_.reset(new (kLine) T[size]);
    AdviseHugePages(data_.get(), size * static_cast<int64_t>(sizeof(T)));
  }
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

// dev_ctx.Alloc for an output that is about to be written as a whole. One that
// has memory already, in place, keeps it as it is.
template <typename T, typename Context>
T* AllocOutput(const Context& dev_ctx, DenseTensor* out) {
  const int64_t bytes = out->numel() * static_cast<int64_t>(sizeof(T));
  const bool fresh = out->Holder() == nullptr;
  T* data = AllocKept<T>(dev_ctx, bytes, out);
  if (fresh) AdviseHugePages(data, bytes);
  return data;
}

// memcpy by all threads.
inline void ParallelCopy(void* out, const void* in, int64_t bytes) {
  if (out == in || bytes == 0) return;
  auto* to = static_cast<char*>(out);
  const auto* from = static_cast<const char*>(in);
  const Tiles tiles(bytes, 1);
  const OutputPages<char> pages(to, from, tiles);
  ParallelFor(tiles.count, bytes, [&](int64_t i) {
    const int64_t begin = tiles.begin(i);
    const int64_t end = tiles.end(i);
    pages.Prepare(begin, end).Copy(to + begin, from + begin, end - begin);
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
  T* data = AllocOutput<T>(dev_ctx, to);
  ParallelCopy(data, from, to->numel() * static_cast<int64_t>(sizeof(T)));
}

// An output of zeros.
template <typename T, typename Context>
T* AllocZeros(const Context& dev_ctx, DenseTensor* out) {
  T* data = AllocOutput<T>(dev_ctx, out);
  ParallelZero(data, out->numel() * static_cast<int64_t>(sizeof(T)));
  return data;
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
