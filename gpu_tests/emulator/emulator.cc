#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "cuda_runtime_api.h"

EmulatedIndex threadIdx, blockIdx, gridDim;

[[noreturn]] static void Fail(const char* reason) {
  std::fprintf(stderr, "cuda_emulator: %s\n", reason);
  std::abort();
}

namespace cuda_emulator {
namespace {

constexpr size_t kStackBytes = 128 << 10;
constexpr const char* kMissed = "a barrier that some threads miss";

cudaError_t last_error = cudaSuccess;

class Block;
Block* block_here = nullptr;

// Runs the threads of one block after another, each until it has to wait.
class Block {
 public:
  Block(int threads, const std::function<void()>& kernel)
      : kernel_(kernel), fibers_(threads) {
    static std::vector<std::unique_ptr<char[]>> stacks;  // for all launches
    for (int i = 0; i < threads; ++i) {
      if (i == static_cast<int>(stacks.size())) {
        stacks.emplace_back(new char[kStackBytes]);
      }
      fibers_[i].stack = stacks[i].get();
    }
  }

  // In a random order: what a missing barrier allows happens.
  void Run(unsigned seed) {
    std::vector<int> order(fibers_.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937(seed));
    for (Fiber& fiber : fibers_) fiber.state = kNew;
    running_ = static_cast<int>(fibers_.size());
    while (running_ > 0) {
      for (int i : order) Resume(i);
    }
  }

  // The last one to arrive goes on first.
  void Barrier() {
    if (running_ < static_cast<int>(fibers_.size())) Fail(kMissed);
    const int64_t passed = barriers_;
    if (++at_barrier_ == running_) {
      at_barrier_ = 0;
      ++barriers_;
    }
    while (passed == barriers_) Wait();
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
    if (block->at_barrier_ > 0) Fail(kMissed);
    block->fibers_[block->current_].state = kDone;
    --block->running_;
    _longjmp(block->scheduler_, 1);
  }

  void Wait() {
    Fiber& fiber = fibers_[current_];
    if (_setjmp(fiber.resume) == 0) _longjmp(scheduler_, 1);
  }

  void Resume(int i) {
    Fiber& fiber = fibers_[i];
    if (fiber.state == kDone) return;
    current_ = i;
    threadIdx = {static_cast<unsigned>(i)};
    if (_setjmp(scheduler_) != 0) return;
    if (fiber.state == kStarted) _longjmp(fiber.resume, 1);
    fiber.state = kStarted;
    getcontext(&fiber.start);
    fiber.start.uc_stack.ss_sp = fiber.stack;
    fiber.start.uc_stack.ss_size = kStackBytes;
    fiber.start.uc_link = nullptr;
    makecontext(&fiber.start, &Enter, 0);
    setcontext(&fiber.start);
  }

  const std::function<void()>& kernel_;
  std::vector<Fiber> fibers_;
  jmp_buf scheduler_;
  int current_ = 0;
  int running_ = 0;
  int at_barrier_ = 0;
  int64_t barriers_ = 0;  // that have opened
};

}  // namespace

void Launch(const std::function<void()>& kernel,
            unsigned grid,
            unsigned block,
            size_t /*shared_bytes*/,
            cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  static unsigned seed = 0;
  if (grid == 0 || grid > INT32_MAX || block == 0 || block > 1024) {
    last_error = cudaErrorInvalidConfiguration;
    return;
  }
  Block here(static_cast<int>(block), kernel);
  block_here = &here;
  gridDim = {grid};
  for (unsigned i = 0; i < grid; ++i) {
    // Blocks start in no order that a kernel may count on.
    blockIdx = {(i + seed) % grid};
    here.Run(seed + i);
  }
  ++seed;
}

}  // namespace cuda_emulator

void __syncthreads() { cuda_emulator::block_here->Barrier(); }

void __trap() {
  std::fflush(stdout);
  std::abort();
}

cudaError_t cudaGetLastError() {
  return std::exchange(cuda_emulator::last_error, cudaSuccess);
}

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "invalid configuration argument";
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (stream == nullptr) Fail("work outside the stream of the caller");
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t stream) {
  *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*data, 0xcd, bytes);
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  std::free(data);
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaMemsetAsync(void* data,
                            int byte,
                            size_t bytes,
                            cudaStream_t stream) {
  std::memset(data, byte, bytes);
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaMemcpyAsync(void* to,
                            const void* from,
                            size_t bytes,
                            cudaMemcpyKind,
                            cudaStream_t stream) {
  std::memcpy(to, from, bytes);
  return cudaStreamSynchronize(stream);
}
