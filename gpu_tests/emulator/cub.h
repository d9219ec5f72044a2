// The algorithms of CUB that the kernels call, as plain loops.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "cuda_runtime_api.h"

namespace cub {

// The first call of an algorithm returns the size of its temporary storage; the
// second call checks the size and overwrites the storage.
template <typename F>
cudaError_t Run(
    void* storage, size_t* bytes, int n, cudaStream_t stream, const F& work) {
  const size_t required = 8 * static_cast<size_t>(n) + 1;
  if (storage == nullptr) {
    *bytes = required;
    return cudaSuccess;
  }
  if (*bytes < required) cuda_emulator::Fail("CUB received too little storage");
  cuda_emulator::Enqueue(
      [=] {
        std::memset(storage, 0xcd, required);
        work();
      },
      stream);
  return cudaSuccess;
}

struct DeviceScan {
  template <typename In, typename T>
  static cudaError_t InclusiveSum(void* storage,
                                  size_t& bytes,  // NOLINT
                                  In in,
                                  T* out,
                                  int n,
                                  cudaStream_t stream) {
    return Run(storage, &bytes, n, stream, [=] {
      T sum{};
      for (int i = 0; i < n; ++i) out[i] = sum += in[i];
    });
  }
};

struct DeviceRadixSort {
  // Stable, by bits [begin, end) of the keys.
  template <typename Key, typename Value>
  static cudaError_t SortPairs(void* storage,
                               size_t& bytes,  // NOLINT
                               const Key* keys_in,
                               Key* keys_out,
                               const Value* values_in,
                               Value* values_out,
                               int n,
                               int begin,
                               int end,
                               cudaStream_t stream) {
    return Run(storage, &bytes, n, stream, [=] {
      const uint64_t mask = ((uint64_t{1} << (end - begin)) - 1) << begin;
      std::vector<int> order(n);
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return (keys_in[a] & mask) < (keys_in[b] & mask);
      });
      for (int i = 0; i < n; ++i) {
        keys_out[i] = keys_in[order[i]];
        values_out[i] = values_in[order[i]];
      }
    });
  }
};

}  // namespace cub
