// How the GPU kernels are called from outside.

#include <cstdio>
#include <exception>
#include <string>

#include "paddle/phi/core/kernel_registry.h"

// The library hides all its other names: it is loaded beside PyTorch.
#define SCATTER_OPS_API __attribute__((visibility("default")))

namespace harness {

const Entry& Find(const std::string& key) {
  for (const Entry& entry : Table()) {
    if (entry.key == key) return entry;
  }
  PADDLE_THROW(common::errors::Unimplemented("there is no kernel %s", key));
}

void Call(const ScatterOpsCall& call) {
  const Entry& entry = Find(call.key);
  Arguments arguments(call);
  entry.run(&arguments);
  arguments.BringOutputs();
  // A launch with a bad configuration is known now.
  PADDLE_ENFORCE_GPU_SUCCESS(cudaGetLastError());
}

}  // namespace harness

extern "C" {

// "kernel dtype" of each entry of the table of kernels; null past the end.
SCATTER_OPS_API const char* scatter_ops_entry(int32_t entry) {
  const auto& table = harness::Table();
  const bool is_there = entry < static_cast<int32_t>(table.size());
  return is_there ? table[entry].key.c_str() : nullptr;
}

// Puts a kernel's work onto the stream. 0, or 1 and the reason in `message`,
// of which `size` bytes may be written.
SCATTER_OPS_API int32_t scatter_ops_call(const ScatterOpsCall* call,
                                         char* message,
                                         int64_t size) {
  try {
    harness::Call(*call);
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(message, size, "%s", error.what());
    return 1;
  }
}

}  // extern "C"
