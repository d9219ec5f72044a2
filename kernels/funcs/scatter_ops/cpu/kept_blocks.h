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

// Where the CPU kernels of the masked and scatter operators get the memory of
// large outputs from: pages that are there already, where malloc would hand out
// fresh ones, whose faults cost more than filling them. scatter_op_flags.cc
// says what is kept, and how to turn it off.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "paddle/common/flags.h"
#include "paddle/phi/core/allocator.h"
#include "paddle/phi/core/dense_tensor.h"

PHI_DECLARE_bool(scatter_ops_keep_pages);

namespace phi {
namespace funcs {
namespace scatter_ops {

// For fewer bytes than this, asking whether their pages are there yet costs
// more than it saves.
constexpr int64_t kPopulateBytes = 512 << 10;

// Blocks of fewer bytes stay with glibc when they are freed, once it has seen
// one of that size freed; larger ones always go back to Linux.
constexpr int64_t kMallocKeepsBelow = (32 << 20) - (64 << 10);

// Has glibc keep the pages of such blocks, where it would give them back to
// Linux after each call, to fault them in for the next. Whatever a program
// frees, glibc takes for what it will allocate again, so this changes nothing
// that another library's large array would not, and nothing where the user has
// set a threshold. The block is never written, which costs two calls of Linux.
inline void TeachMalloc() {
#ifdef __GLIBC__
  static const bool taught = [] {
    void* volatile block = std::malloc(kMallocKeepsBelow);  // volatile: done
    std::free(block);
    return true;
  }();
  (void)taught;
#endif
}

// Memory of freed outputs that are too large for malloc to keep.
class KeptBlocks {
 public:
  using Block = std::shared_ptr<Allocation>;

  static constexpr int64_t kMostBytes = 256 << 20;

  // Never destroyed: outputs may be freed when the process ends.
  static KeptBlocks& Instance() {
    static auto* const instance = new KeptBlocks;
    return *instance;
  }

  // A block for so many bytes that is not much larger; null if there is none.
  Block Take(int64_t bytes) {
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock) return {};
    for (int i = count_; i-- > 0;) {
      const int64_t spare = SizeOf(blocks_[i]) - bytes;
      if (spare >= 0 && spare <= bytes / 4) return Remove(i);
    }
    return {};
  }

  // The oldest blocks are freed where this one needs their room.
  void Keep(Block block) {
    std::array<Block, kMost> gone;  // outlives the lock: to free takes long
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock || SizeOf(block) > kMostBytes) return;
    for (int i = 0; count_ == kMost || bytes_ + SizeOf(block) > kMostBytes;) {
      gone[i++] = Remove(0);
    }
    bytes_ += SizeOf(block);
    blocks_[count_++] = std::move(block);
  }

  void FreeAll() {
    std::array<Block, kMost> gone;
    const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock) return;
    gone.swap(blocks_);
    count_ = 0;
    bytes_ = 0;
  }

 private:
  static constexpr int kMost = 8;

  static int64_t SizeOf(const Block& block) {
    return static_cast<int64_t>(block->size());
  }

  Block Remove(int i) {
    Block block = std::move(blocks_[i]);
    std::move(
        blocks_.begin() + i + 1, blocks_.begin() + count_, blocks_.begin() + i);
    --count_;
    bytes_ -= SizeOf(block);
    return block;
  }

  // Only tried for: after a fork it may stay locked for ever.
  std::mutex mutex_;
  std::array<Block, kMost> blocks_;  // the first `count_`, the oldest first
  int count_ = 0;
  int64_t bytes_ = 0;
};

// The memory of an output. When it is freed it goes to the kept blocks.
class OutputBlock : public Allocation {
 public:
  explicit OutputBlock(KeptBlocks::Block block)
      : Allocation(block->ptr(), block->size(), block->place()),
        block_(std::move(block)) {}

  ~OutputBlock() override {
    if (FLAGS_scatter_ops_keep_pages) {
      KeptBlocks::Instance().Keep(std::move(block_));
    }
  }

 private:
  KeptBlocks::Block block_;
};

// dev_ctx.Alloc for an output of so many bytes, of pages that are there already
// where there are such.
template <typename T, typename Context>
T* AllocKept(const Context& dev_ctx, int64_t bytes, DenseTensor* out) {
  if (bytes < kPopulateBytes) return dev_ctx.template Alloc<T>(out);
  if (!FLAGS_scatter_ops_keep_pages) {
    KeptBlocks::Instance().FreeAll();
  } else if (bytes < kMallocKeepsBelow) {
    TeachMalloc();
  } else if (out->Holder() == nullptr) {
    KeptBlocks::Block block = KeptBlocks::Instance().Take(bytes);
    if (block == nullptr) {
      dev_ctx.template Alloc<T>(out);
      block = out->Holder();
    }
    out->ResetHolder(std::make_shared<OutputBlock>(std::move(block)));
  }
  return dev_ctx.template Alloc<T>(out);
}

}  // namespace scatter_ops
}  // namespace funcs
}  // namespace phi
