// The C interface of the library.

#include "kernel_call.h"

// All other symbols are hidden, as PyTorch is loaded into the same process.
#define SCATTER_OPS_API extern "C" __attribute__((visibility("default")))

// Returns "kernel dtype" of an entry of the table, null past the end.
SCATTER_OPS_API const char* scatter_ops_entry(int32_t entry) {
  const auto& table = kernel_call::Table();
  const bool exists = entry < static_cast<int32_t>(table.size());
  return exists ? table[entry].key.c_str() : nullptr;
}

// Runs an entry. Returns 0, or 1 after writing the error to `message[size]`.
SCATTER_OPS_API int32_t scatter_ops_call(int32_t entry,
                                         const ScatterOpsCall* call,
                                         char* message,
                                         int64_t size) {
  try {
    kernel_call::Arguments arguments(*call);
    kernel_call::Table().at(entry).run(&arguments);
    arguments.Finish();
    return 0;
  } catch (const std::exception& error) {
    std::snprintf(message, size, "%s", error.what());
    return 1;
  }
}
