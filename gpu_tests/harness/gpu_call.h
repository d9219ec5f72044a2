// How the GPU kernels are called from outside: plain C, for ctypes.

#pragma once

#include <cstdint>

// The library hides all its other names: it is loaded beside PyTorch.
#define SCATTER_OPS_API __attribute__((visibility("default")))

extern "C" {

struct ScatterOpsTensor {
  void* data;         // on the device; null if nothing may be read or written
  const char* dtype;  // null: the tensor is absent
  int32_t rank;
  const int64_t* dims;
};

struct ScatterOpsCall {
  const char* key;  // "kernel dtype"
  const ScatterOpsTensor* inputs;
  int32_t input_count;
  const char* const* attributes;  // numbers in decimal digits
  int32_t attribute_count;
  const ScatterOpsTensor* outputs;
  int32_t output_count;
  void* stream;
  int32_t multiprocessors;
};

// "kernel dtype" of each entry of the table of kernels; null past the end.
SCATTER_OPS_API const char* scatter_ops_entry(int32_t entry);

// Keeps what temporaries have used, as an allocator of a framework does,
// instead of giving it back whenever the device is idle. 0 if that worked.
SCATTER_OPS_API int32_t scatter_ops_keep_memory();

// Puts a kernel's work onto the stream. 0, or 1 and the reason in `message`,
// of which `size` bytes may be written.
SCATTER_OPS_API int32_t scatter_ops_call(const ScatterOpsCall* call,
                                         char* message,
                                         int64_t size);

}  // extern "C"
