// The table of kernels that registration fills.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu_tests/harness/arguments.h"

namespace phi {

// What a kernel says of its operands beyond its own data type.
struct Kernel {
  struct Operand {
    void SetDataType(DataType type) { dtype = type; }
    DataType dtype;
  };
  Operand& InputAt(int i) { return inputs[i]; }

  std::map<int, Operand> inputs;
};

}  // namespace phi

namespace harness {

struct Entry {
  std::string key;  // "kernel dtype"
  phi::Kernel description;
  void (*run)(Arguments* arguments);
};

inline std::vector<Entry>& Table() {
  static std::vector<Entry> table;
  return table;
}

template <template <typename> class KernelOf, typename... Types>
bool RegisterEach(const char* name, void (*describe)(phi::Kernel*)) {
  phi::Kernel description;
  describe(&description);
  const auto add = [&](phi::DataType dtype, void (*run)(Arguments*)) {
    const char* type = phi::DataTypeToString(dtype);
    Table().push_back({std::string(name) + " " + type, description, run});
  };
  (add(phi::CppTypeToDataType<Types>::Type(), &KernelOf<Types>::Run), ...);
  return true;
}

}  // namespace harness
