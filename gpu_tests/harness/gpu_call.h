/* How the GPU kernels are called from outside: plain C, for ctypes. */

#pragma once

#include <stdint.h>

/* The library hides all its other names: it is loaded beside PyTorch. */
#define SCATTER_OPS_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  void* data;    /* on the device; null if nothing may be read or written */
  int32_t dtype; /* negative: the tensor is absent */
  int32_t rank;
  const int64_t* dims;
} ScatterOpsTensor;

enum { SCATTER_OPS_BOOL, SCATTER_OPS_WHOLE, SCATTER_OPS_TEXT };

typedef struct {
  int32_t kind;
  int64_t whole;
  const char* text;
} ScatterOpsAttribute;

typedef struct {
  const char* kernel;
  int32_t dtype;
  const ScatterOpsTensor* inputs;
  int32_t input_count;
  const ScatterOpsAttribute* attributes;
  int32_t attribute_count;
  const ScatterOpsTensor* outputs;
  int32_t output_count;
  void* stream;
  int32_t multiprocessors;
} ScatterOpsCall;

/* Entries of the table of kernels, one for each data type of a kernel. */
SCATTER_OPS_API int32_t scatter_ops_count(void);
SCATTER_OPS_API const char* scatter_ops_name(int32_t entry);
SCATTER_OPS_API int32_t scatter_ops_dtype(int32_t entry);

/* The name of a data type; "undefined" past the last one. */
SCATTER_OPS_API const char* scatter_ops_dtype_name(int32_t dtype);

/* Whether results must be the same bits in every run; at first they need not.
 */
SCATTER_OPS_API void scatter_ops_set_deterministic(int32_t deterministic);

/* Keeps what temporaries have used, as an allocator of a framework does,
   instead of giving it back whenever the device is idle. 0 if that worked. */
SCATTER_OPS_API int32_t scatter_ops_keep_memory(void);

/* Puts a kernel's work onto the stream. 0, or 1 and the reason in `message`,
   of which `size` bytes may be written. */
SCATTER_OPS_API int32_t scatter_ops_call(const ScatterOpsCall* call,
                                         char* message,
                                         int64_t size);

#ifdef __cplusplus
}
#endif
