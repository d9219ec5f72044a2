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

#include "paddle/phi/backends/gpu/gpu_types.h"

namespace cub {

template <typename T, int kThreads>
class BlockScan {
 public:
  struct TempStorage {
    T values[kThreads];
  };

  __device__ explicit BlockScan(TempStorage& storage)  // NOLINT
      : storage_(storage) {}

  __device__ void ExclusiveSum(T value, T& before, T& total) {  // NOLINT
    storage_.values[threadIdx.x] = value;
    __syncthreads();
    before = total = T{};
    for (int i = 0; i < kThreads; ++i) {
      if (i == static_cast<int>(threadIdx.x)) before = total;
      total += storage_.values[i];
    }
  }

 private:
  TempStorage& storage_;
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
                                   int64_t n,
                                   int begin,
                                   int end,
                                   phi::gpuStream_t) {
    if (temporary == nullptr) {
      bytes = 1;
      return phi::gpuSuccess;
    }
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
    return phi::gpuSuccess;
  }
};

}  // namespace cub

#endif
