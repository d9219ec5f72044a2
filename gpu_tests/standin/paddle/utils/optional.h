#pragma once

#include <optional>

namespace paddle {

template <typename T>
class optional : public std::optional<T> {
 public:
  using std::optional<T>::optional;

  bool is_initialized() const { return this->has_value(); }
  const T& get() const { return this->value(); }
  const T* get_ptr() const { return *this ? &**this : nullptr; }
};

using std::nullopt;
constexpr std::nullopt_t none = std::nullopt;

}  // namespace paddle
