#pragma once

#include <optional>

namespace paddle {

template <typename T>
class optional : public std::optional<T> {
 public:
  using std::optional<T>::optional;

  const T* get_ptr() const { return *this ? &**this : nullptr; }
};

constexpr std::nullopt_t none = std::nullopt;

}  // namespace paddle
