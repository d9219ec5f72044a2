// Exchange within a warp, under the names that Paddle gives it.

#pragma once

#include "paddle/phi/backends/gpu/gpu_types.h"
#include "paddle/phi/common/complex.h"

namespace phi::backends::gpu {

template <typename T>
__device__ inline T CudaShuffleXorSync(unsigned lanes, T value, int mask) {
#ifdef PADDLE_WITH_HIP
  return __shfl_xor(value, mask);
#else
  return __shfl_xor_sync(lanes, value, mask);
#endif
}

template <typename T>
__device__ inline dtype::complex<T> CudaShuffleXorSync(unsigned lanes,
                                                       dtype::complex<T> value,
                                                       int mask) {
  return {CudaShuffleXorSync(lanes, value.real, mask),
          CudaShuffleXorSync(lanes, value.imag, mask)};
}

}  // namespace phi::backends::gpu
