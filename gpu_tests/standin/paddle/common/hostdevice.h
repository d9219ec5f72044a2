#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define HOSTDEVICE __host__ __device__
#else
#define HOSTDEVICE
#endif
