// What the Tensors of a custom operator are called.

#pragma once

#include <string>
#include <string_view>

#include "custom_ops.h"

namespace native_ops {

// The forward Tensor that a custom name is about: x of x@GRAD@GRAD.
inline std::string_view BaseName(const char* custom_name) {
  const std::string_view name(custom_name);
  return name.substr(0, name.find('@'));
}

// `names` is a list with commas.
inline bool Holds(const std::string& names, std::string_view name) {
  if (names.empty()) return false;
  const std::string wanted = "," + std::string(name) + ",";
  return ("," + names + ",").find(wanted) != std::string::npos;
}

inline bool IsZeroDim(const std::string& names, const char* custom_name) {
  return Holds(names, BaseName(custom_name));
}

}  // namespace native_ops
