// What a function is declared to take against what its YAML entry says. The
// compiler shows the entry and both types where they differ.

#pragma once

#include <type_traits>

#include "paddle/phi/core/meta_tensor.h"

namespace native_ops {

// Paddle's generated code leaves the last argument of some InferMeta functions
// to its default.
template <typename Function>
struct WithMetaConfig;

template <typename Result, typename... Args>
struct WithMetaConfig<Result (*)(Args...)> {
  using type = Result (*)(Args..., phi::MetaConfig);
};

template <typename Entry, typename Declared, typename InYaml>
struct CheckDeclared {
  static_assert(
      std::is_same<Declared, InYaml>::value ||
          std::is_same<Declared, typename WithMetaConfig<InYaml>::type>::value,
      "the function must be declared as its YAML entry says");
};

}  // namespace native_ops
