// CUB itself where nvcc brings it along. Else what the kernels use of it: the
// same results by plain means, the sort on the host.

#pragma once

#ifdef __NVCC__
#include <cub/cub.cuh>
#else

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "paddle/phi/backends/gpu/gpu_info.h"

namespace cub {

// What the threads of a block give, for each of them to read.
template <typename T, int kThreads>
class BlockValues {
 public:
  struct TempStorage {
    T values[kThreads];
  };

  __device__ explicit BlockValues(TempStorage& storage)  // NOLINT
      : values_(storage.values) {}

 protected:
  // The sum of the first `count` threads' values.
  __device__ T SumOf(T value, int count) {
    values_[threadIdx.x] = value;
    __syncthreads();
    T sum{};
    for (int i = 0; i < count; ++i) sum += values_[i];
    return sum;
  }

 private:
  T* values_;
};

// As CUB's, it gives the sum to the first thread alone.
template <typename T, int kThreads>
struct BlockReduce : BlockValues<T, kThreads> {
  using BlockValues<T, kThreads>::BlockValues;

  __device__ T Sum(T value) {
    return this->SumOf(value, threadIdx.x == 0 ? kThreads : 0);
  }
};

// Each asks for some memory first, as CUB's do. The host waits for the stream,
// then does the work.
struct DeviceScan {
  template <typename In, typename Out>
  static phi::gpuError_t ExclusiveSum(void* temporary,
                                      size_t& bytes,  // NOLINT
                                      In in,
                                      Out out,
                                      int n,
                                      phi::gpuStream_t stream) {
    bytes = 1;
    if (temporary == nullptr) return phi::gpuSuccess;
    const phi::gpuError_t waited = STANDIN_GPU(StreamSynchronize)(stream);
    int64_t sum = 0;
    for (int i = 0; i < n; ++i) {
      const int64_t number = in[i];
      out[i] = sum;
      sum += number;
    }
    return waited;
  }
};

struct DeviceRadixSort {
  // Stable, by bits [begin, end) of the keys.
  template <typename Key, typename Value>
  static phi::gpuError_t SortPairs(void* temporary,
                                   size_t& bytes,  // NOLINT
                                   const Key* keys_in,
                                   Key* keys_out,
                                   const Value* values_in,
                                   Value* values_out,
                                   int n,
                                   int begin,
                                   int end,
                                   phi::gpuStream_t stream) {
    bytes = 1;
    if (temporary == nullptr) return phi::gpuSuccess;
    const phi::gpuError_t waited = STANDIN_GPU(StreamSynchronize)(stream);
    const auto digits = [=](int64_t i) {
      const uint64_t key = static_cast<uint64_t>(keys_in[i]) >> begin;
      return key & ((uint64_t{1} << (end - begin)) - 1);
    };
    std::vector<int64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return digits(a) < digits(b);
    });
    for (int64_t i = 0; i < n; ++i) {
      keys_out[i] = keys_in[order[i]];
      values_out[i] = values_in[order[i]];
    }
    return waited;
  }
};

}  // namespace cub

#endif
