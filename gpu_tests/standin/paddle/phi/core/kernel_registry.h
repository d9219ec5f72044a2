// Registration of kernels: each goes into the harness's table, once for each
// of its data types, behind a function that takes its arguments untyped.

#pragma once

#include "gpu_tests/harness/kernel_table.h"
#include "paddle/phi/backends/gpu/gpu_context.h"

// Paddle's own headers of kernels are not there.
#define SCATTER_OPS_STANDIN

// What follows is the body of a function that describes the kernel.
#define PD_REGISTER_KERNEL(name, backend, layout, function, ...)           \
  static void Describe_##name(phi::Kernel* kernel);                        \
  template <typename T>                                                    \
  struct Kernel_##name {                                                   \
    static void Run(harness::Arguments* arguments) {                       \
      harness::Invoke(&function<T, phi::GPUContext>, arguments);           \
    }                                                                      \
  };                                                                       \
  static const bool registered_##name =                                    \
      harness::RegisterEach<Kernel_##name, __VA_ARGS__>(#name,             \
                                                        &Describe_##name); \
  static void Describe_##name(phi::Kernel* kernel)
