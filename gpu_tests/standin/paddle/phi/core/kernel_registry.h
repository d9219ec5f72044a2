// Registration of kernels: each goes into a table, once for each of its data
// types, behind a function that takes its arguments untyped.

#pragma once

#include <string>
#include <vector>

#include "gpu_tests/harness/arguments.h"

namespace phi {

// What a kernel says of its operands beyond its own data type: nobody asks.
struct Kernel {
  struct Operand {
    void SetDataType(DataType) {}
  };
  Operand InputAt(int) { return {}; }
};

}  // namespace phi

namespace harness {

struct Entry {
  std::string key;  // "kernel dtype"
  void (*run)(Arguments* arguments);
};

inline std::vector<Entry>& Table() {
  static std::vector<Entry> table;
  return table;
}

template <template <typename> class KernelOf, typename... Types>
bool RegisterEach(const char* name) {
  const auto add = [&](phi::DataType dtype, void (*run)(Arguments*)) {
    const char* type = phi::DataTypeToString(dtype);
    Table().push_back({std::string(name) + " " + type, run});
  };
  (add(phi::CppTypeToDataType<Types>::Type(), &KernelOf<Types>::Run), ...);
  return true;
}

}  // namespace harness

// What follows is the body of a function that describes the kernel.
#define PD_REGISTER_KERNEL(name, backend, layout, function, ...) \
  template <typename T>                                          \
  struct Kernel_##name {                                         \
    static void Run(harness::Arguments* arguments) {             \
      harness::Invoke(&function<T, phi::GPUContext>, arguments); \
    }                                                            \
  };                                                             \
  static const bool registered_##name =                          \
      harness::RegisterEach<Kernel_##name, __VA_ARGS__>(#name);  \
  [[maybe_unused]] static void Describe_##name(phi::Kernel* kernel)
