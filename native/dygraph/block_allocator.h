// Memory for objects of one type that come and go with every call. malloc
// tidies its lists whenever a block of over 1 KB is asked for, which takes a
// tenth of the time of a small operator.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <new>

namespace native_ops {

// A few blocks of one size that are free.
template <size_t kBytes>
class FreeBlocks {
 public:
  void* Take() {
    const Lock lock(&locked_);
    return count_ == 0 ? nullptr : blocks_[--count_];
  }

  // False if there are enough.
  bool Put(void* block) {
    const Lock lock(&locked_);
    if (count_ == blocks_.size()) return false;
    blocks_[count_++] = block;
    return true;
  }

 private:
  // Held for two instructions; nodes are freed with and without the GIL.
  class Lock {
   public:
    explicit Lock(std::atomic_flag* flag) : flag_(flag) {
      while (flag_->test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { flag_->clear(std::memory_order_release); }

   private:
    std::atomic_flag* flag_;
  };

  std::atomic_flag locked_ = ATOMIC_FLAG_INIT;
  std::array<void*, 32> blocks_;
  size_t count_ = 0;
};

template <typename T>
class BlockAllocator {
 public:
  using value_type = T;

  BlockAllocator() = default;
  template <typename Other>
  BlockAllocator(const BlockAllocator<Other>&) {}

  T* allocate(size_t count) {
    void* block = count == 1 ? Blocks().Take() : nullptr;
    if (block == nullptr) block = ::operator new(count * sizeof(T));
    return static_cast<T*>(block);
  }

  void deallocate(T* block, size_t count) {
    if (count != 1 || !Blocks().Put(block)) ::operator delete(block);
  }

  bool operator==(const BlockAllocator&) const { return true; }
  bool operator!=(const BlockAllocator&) const { return false; }

 private:
  // Trivially destroyed, so that the last objects of a process find it too.
  static FreeBlocks<sizeof(T)>& Blocks() {
    static FreeBlocks<sizeof(T)> blocks;
    return blocks;
  }
};

}  // namespace native_ops
