#pragma once

#ifdef __NVCC__
#include <cuda_fp16.h>
#endif

#include "paddle/phi/common/half_number.h"

namespace phi {
namespace dtype {

#ifdef __NVCC__
using float16 = HalfNumber<__half>;
#else
using float16 = HalfNumber<_Float16>;
#endif

}  // namespace dtype
}  // namespace phi
