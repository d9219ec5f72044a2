// The table of kernels that registration fills.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gpu_tests/harness/arguments.h"

namespace phi {

// What a kernel says of its operands beyond its own data type.
class Kernel {
 public:
  class Operand {
   public:
    explicit Operand(DataType* dtype) : dtype_(dtype) {}
    void SetDataType(DataType dtype) { *dtype_ = dtype; }

   private:
    DataType* dtype_;
  };

  Operand InputAt(int i) { return Operand(&input_types_[i]); }
  const std::map<int, DataType>& input_types() const { return input_types_; }

 private:
  std::map<int, DataType> input_types_;
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
  const auto key = [&](phi::DataType dtype) {
    return std::string(name) + " " + phi::DataTypeToString(dtype);
  };
  (Table().push_back({key(phi::CppTypeToDataType<Types>::Type()),
                      description,
                      &KernelOf<Types>::Run}),
   ...);
  return true;
}

}  // namespace harness
