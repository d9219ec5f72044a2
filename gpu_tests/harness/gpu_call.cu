#include "gpu_tests/harness/gpu_call.h"

#include <cstdio>
#include <exception>
#include <string>

#include "gpu_tests/harness/kernel_table.h"

namespace harness {

const Entry& Find(const std::string& key) {
  for (const Entry& entry : Table()) {
    if (entry.key == key) return entry;
  }
  PADDLE_THROW(common::errors::Unimplemented("there is no kernel %s", key));
}

void CheckInputTypes(const Entry& entry, const Arguments& arguments) {
  for (const auto& [i, declared] : entry.description.inputs) {
    const phi::DataType dtype = arguments.InputType(i);
    const char* name = phi::DataTypeToString(dtype);
    PADDLE_ENFORCE_EQ(dtype,
                      declared.dtype,
                      common::errors::InvalidArgument(
                          "input %d of %s is of dtype %s", i, entry.key, name));
  }
}

void Call(const ScatterOpsCall& call) {
  const Entry& entry = Find(call.key);
  Arguments arguments(call);
  CheckInputTypes(entry, arguments);
  entry.run(&arguments);
  arguments.BringOutputs();
  // A launch with a bad configuration is known now.
  PADDLE_ENFORCE_GPU_SUCCESS(cudaGetLastError());
}

}  // namespace harness

const char* scatter_ops_entry(int32_t entry) {
  const auto& table = harness::Table();
  const bool is_there = entry < static_cast<int32_t>(table.size());
  return is_there ? table[entry].key.c_str() : nullptr;
}

int32_t scatter_ops_keep_memory() {
#ifdef __NVCC__
  int device;
  cudaMemPool_t pool;
  uint64_t everything = UINT64_MAX;
  const bool kept =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess &&
      cudaMemPoolSetAttribute(
          pool, cudaMemPoolAttrReleaseThreshold, &everything) == cudaSuccess;
  return kept ? 0 : 1;
#else
  return 0;  // the emulation has no pool
#endif
}

int32_t scatter_ops_call(const ScatterOpsCall* call,
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
