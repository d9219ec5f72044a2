#include <sys/mman.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include "cuda_runtime_api.h"

EmulatedIndex threadIdx, blockIdx, gridDim;

namespace cuda_emulator {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAlignment = 16;  // bytes, the size of the largest element
constexpr int kGarbage = 0xcd;

cudaError_t last_error = cudaSuccess;
std::vector<std::function<void()>> queue;
// {allocation: (mapped pages, bytes)}
std::map<void*, std::pair<void*, size_t>> mappings;

}  // namespace

void Fail(const char* reason) {
  std::fprintf(stderr, "cuda_emulator: %s\n", reason);
  std::abort();
}

void Enqueue(std::function<void()> work, cudaStream_t stream) {
  if (stream == nullptr) Fail("work outside the stream of the caller");
  queue.push_back(std::move(work));
}

bool IsValidLaunch(unsigned grid, unsigned block) {
  const uint64_t threads = static_cast<uint64_t>(grid) * block;
  const bool is_valid = grid > 0 && block > 0 && block <= 1024 &&
                        grid <= INT_MAX && threads <= UINT_MAX;
  if (!is_valid) last_error = cudaErrorInvalidConfiguration;
  return is_valid;
}

void RunThreads(const std::function<void()>& kernel,
                unsigned grid,
                unsigned block) {
  static std::mt19937 random(21);
  std::vector<unsigned> threads(block);
  std::iota(threads.begin(), threads.end(), 0);
  std::shuffle(threads.begin(), threads.end(), random);
  gridDim = {grid};
  const unsigned first_block = random() % grid;
  for (unsigned i = 0; i < grid; ++i) {
    blockIdx = {(first_block + i) % grid};
    for (unsigned thread : threads) {
      threadIdx = {thread};
      kernel();
    }
  }
}

}  // namespace cuda_emulator

using cuda_emulator::Enqueue;

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
  Enqueue([] {}, stream);
  for (const auto& work : std::exchange(cuda_emulator::queue, {})) work();
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** data, size_t bytes, cudaStream_t) {
  using namespace cuda_emulator;  // NOLINT
  const size_t used = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  const size_t mapped = (used + kPage - 1) / kPage * kPage;
  void* pages = mmap(nullptr,
                     mapped + kPage,
                     PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS,
                     -1,
                     0);
  if (pages == MAP_FAILED) Fail("out of memory");
  auto* end = static_cast<char*>(pages) + mapped;
  mprotect(end, kPage, PROT_NONE);
  *data = end - used;
  std::memset(*data, kGarbage, used);
  mappings[*data] = {pages, mapped + kPage};
  return cudaSuccess;
}

cudaError_t cudaFreeAsync(void* data, cudaStream_t stream) {
  Enqueue(
      [=] {
        const auto mapping = cuda_emulator::mappings.extract(data).mapped();
        munmap(mapping.first, mapping.second);
      },
      stream);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* data,
                            int byte,
                            size_t bytes,
                            cudaStream_t stream) {
  Enqueue([=] { std::memset(data, byte, bytes); }, stream);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to,
                            const void* from,
                            size_t bytes,
                            cudaMemcpyKind,
                            cudaStream_t stream) {
  Enqueue([=] { std::memcpy(to, from, bytes); }, stream);
  return cudaSuccess;
}
