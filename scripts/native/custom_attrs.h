// The attributes of a custom operator and of its gradients: the forward
// entry's, and a string, `native_zero_dim`.

#pragma once

#include <string>
#include <vector>

#include "paddle/phi/api/ext/op_meta_info.h"
#include "runtime.h"

namespace native_ops {

// Where each attribute of an entry stands among the custom ones.
struct CustomOrder {
  std::vector<size_t> attrs;
  size_t zero_dim;

  explicit CustomOrder(const OpSpec& spec);
};

// "name: type" of each, as a custom operator declares them.
std::vector<std::string> DeclaredAttrs(const OpSpec& forward);

// The attributes of `spec` among those of a custom call.
Attrs ConvertAttrs(const OpSpec& spec, const std::vector<paddle::any>& values);

// The string, which may be missing.
std::string NamesAt(size_t i, const std::vector<paddle::any>& values);

}  // namespace native_ops
