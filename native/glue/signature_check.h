// What a function is declared to take against what its YAML entry says. The
// compiler shows the entry and both types where they differ.

#pragma once

#include <type_traits>

#include "paddle/phi/core/meta_tensor.h"

namespace native_ops {

template <typename Entry, typename Declared, typename InYaml>
struct CheckKernel {
  static_assert(std::is_same<Declared, InYaml>::value,
                "the kernel must be declared as its YAML entry says");
};

// Paddle's generated code leaves the last argument of some InferMeta functions
// to its default.
template <typename Function>
struct WithMetaConfig;

template <typename... Args>
struct WithMetaConfig<void (*)(Args...)> {
  using type = void (*)(Args..., phi::MetaConfig);
};

template <typename Entry, typename Declared, typename InYaml>
struct CheckInferMeta {
  static_assert(
      std::is_same<Declared, InYaml>::value ||
          std::is_same<Declared, typename WithMetaConfig<InYaml>::type>::value,
      "the InferMeta function must be declared as the YAML entry says");
};

}  // namespace native_ops
