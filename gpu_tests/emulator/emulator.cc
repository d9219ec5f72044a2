#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "device_code.h"

thread_local EmulatedIndex threadIdx, blockIdx, blockDim, gridDim;

namespace cuda_emulator {
namespace {

constexpr int kBlocksAtATime = 4;
constexpr size_t kStackBytes = 128 << 10;
constexpr int kWarp = 32;

std::atomic<int> last_error{cudaSuccess};

// What the lanes of a warp give each other at their present meeting.
struct Meeting {
  unsigned arrived = 0;
  unsigned left = 0;
  alignas(16) char given[kWarp * 16];
};

// The stacks of a block's threads, kept from launch to launch.
using Stacks = std::vector<std::unique_ptr<char[]>>;

class Block;
thread_local Block* block_here = nullptr;

// Runs the threads of one block after another, each until it has to wait.
class Block {
 public:
  Block(int threads, const std::function<void()>& kernel, Stacks* stacks)
      : kernel_(kernel), fibers_(threads), warps_((threads + 31) / kWarp) {
    for (int i = 0; i < threads; ++i) {
      if (i == static_cast<int>(stacks->size())) {
        stacks->emplace_back(new char[kStackBytes]);
      }
      fibers_[i].stack = stacks->at(i).get();
    }
  }

  void Run(unsigned seed) {
    std::vector<int> order(fibers_.size());
    std::iota(order.begin(), order.end(), 0);
    std::mt19937 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    // In every other block each warp goes as far as it can before the next
    // one starts: what a missing barrier allows happens.
    const bool by_warp = seed % 2 == 1;
    if (by_warp) SortByWarp(&order, static_cast<int>(random() % warps_.size()));
    for (Fiber& fiber : fibers_) fiber.state = kNew;
    at_barrier_ = 0;
    running_ = static_cast<int>(fibers_.size());
    ++generation_;
    while (running_ > 0) {
      bool moved = false;
      for (size_t i = 0; i < order.size();) {
        const size_t end = by_warp ? EndOfWarp(order, i) : order.size();
        moved |= RunUntilTheyWait(order, i, end);
        i = end;
      }
      if (!moved) Fail("all threads of a block wait for others of it");
    }
  }

  void Wait() {
    Fiber& fiber = fibers_[current_];
    if (_setjmp(fiber.resume) == 0) _longjmp(scheduler_, 1);
  }

  void Barrier() {
    const int64_t generation = generation_;
    progress_ = true;
    ++at_barrier_;
    OpenBarrier();
    while (generation == generation_) Wait();
    progress_ = true;
  }

  void Exchange(unsigned lanes, const void* given, size_t bytes, char* all) {
    Meeting& meeting = warps_[current_ / kWarp];
    const unsigned me = 1u << (current_ % kWarp);
    if ((lanes & me) == 0) Fail("a lane is not in its own mask");
    while (meeting.left != 0) Wait();  // others still read the last one
    std::memcpy(meeting.given + (current_ % kWarp) * 16, given, bytes);
    meeting.arrived |= me;
    progress_ = true;
    while (meeting.left == 0 && meeting.arrived != lanes) Wait();
    if (meeting.left == 0) {
      meeting.left = lanes;
      meeting.arrived = 0;
    }
    std::memcpy(all, meeting.given, sizeof(meeting.given));
    meeting.left &= ~me;
    progress_ = true;
  }

 private:
  enum State { kNew, kStarted, kDone };

  struct Fiber {
    State state = kNew;
    char* stack = nullptr;
    ucontext_t start;
    jmp_buf resume;
  };

  static void Enter() {
    Block* block = block_here;
    block->kernel_();
    block->fibers_[block->current_].state = kDone;
    --block->running_;
    block->progress_ = true;
    block->OpenBarrier();  // those who have ended are not waited for
    _longjmp(block->scheduler_, 1);
  }

  // The warps one after another, from `first` on.
  void SortByWarp(std::vector<int>* order, int first) const {
    const int warps = static_cast<int>(warps_.size());
    const auto place = [=](int i) { return (i / kWarp + first) % warps; };
    std::stable_sort(order->begin(), order->end(), [=](int a, int b) {
      return place(a) < place(b);
    });
  }

  static size_t EndOfWarp(const std::vector<int>& order, size_t i) {
    size_t end = i;
    while (end < order.size() && order[end] / kWarp == order[i] / kWarp) ++end;
    return end;
  }

  // True if any of them got further.
  bool RunUntilTheyWait(const std::vector<int>& order, size_t i, size_t end) {
    bool moved = false;
    do {
      progress_ = false;
      for (size_t j = i; j < end; ++j) Resume(order[j]);
      moved |= progress_;
    } while (progress_);
    return moved;
  }

  void Resume(int i) {
    Fiber& fiber = fibers_[i];
    if (fiber.state == kDone) return;
    current_ = i;
    threadIdx = {static_cast<unsigned>(i)};
    if (_setjmp(scheduler_) != 0) return;
    if (fiber.state == kStarted) _longjmp(fiber.resume, 1);
    fiber.state = kStarted;
    progress_ = true;
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack;
    fiber.start.uc_stack.ss_size = kStackBytes;
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, &Enter, 0);
    setcontext(&fiber.start);
  }

  void OpenBarrier() {
    if (at_barrier_ == 0 || at_barrier_ < running_) return;
    at_barrier_ = 0;
    ++generation_;
  }

  [[noreturn]] static void Fail(const char* reason) {
    std::fprintf(stderr, "cuda_emulator: %s\n", reason);
    std::abort();
  }

  const std::function<void()>& kernel_;
  std::vector<Fiber> fibers_;
  std::vector<Meeting> warps_;
  jmp_buf scheduler_;
  int current_ = 0;
  int running_ = 0;
  int at_barrier_ = 0;
  int64_t generation_ = 0;  // barriers and blocks so far
  bool progress_ = false;
};

}  // namespace

void Exchange(unsigned lanes, const void* given, size_t bytes, char* all) {
  block_here->Exchange(lanes, given, bytes, all);
}

void Launch(const std::function<void()>& kernel,
            unsigned grid,
            unsigned block,
            size_t /*shared_bytes*/,
            cudaStream_t /*stream*/) {
  static std::atomic<unsigned> launches{0};
  const unsigned seed = launches++;
  if (grid == 0 || grid > INT32_MAX || block == 0 || block > 1024) {
    last_error = cudaErrorInvalidConfiguration;
    return;
  }
  static Stacks stacks[kBlocksAtATime];
  std::atomic<unsigned> next{0};
  const auto work = [&](unsigned worker) {
    Block here(static_cast<int>(block), kernel, &stacks[worker]);
    block_here = &here;
    blockDim = {block};
    gridDim = {grid};
    for (unsigned i = next++; i < grid; i = next++) {
      // Blocks start in no order that a kernel may count on.
      blockIdx = {(i + seed) % grid};
      here.Run(seed + i);
    }
    block_here = nullptr;
  };
  std::vector<std::thread> others;
  const unsigned threads = std::min<unsigned>(grid, kBlocksAtATime);
  for (unsigned i = 1; i < threads; ++i) others.emplace_back(work, i);
  work(0);
  for (std::thread& other : others) other.join();
}

}  // namespace cuda_emulator

void __syncthreads() { cuda_emulator::block_here->Barrier(); }

void __trap() {
  std::fflush(stdout);
  std::abort();
}

cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(
      cuda_emulator::last_error.exchange(cudaSuccess));
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    default:
      return "invalid configuration argument";
  }
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t) {
  constexpr size_t kMost = size_t{4} << 30;
  if (bytes > kMost) return cudaErrorMemoryAllocation;
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*data, 0xcd, bytes);
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t) {
  std::free(data);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }

cudaError_t cudaMemsetAsync(void* data, int byte, size_t bytes, cudaStream_t) {
  std::memset(data, byte, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(
    void* to, const void* from, size_t bytes, cudaMemcpyKind, cudaStream_t) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
