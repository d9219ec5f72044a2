// Random arguments for the cores of the kernels, each in memory that ends where
// it ends, and the bits of what they give.

#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <type_traits>
#include <vector>

#include "paddle/phi/core/ddim.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace check {

namespace ops = phi::funcs::scatter_ops;
using Dims = std::vector<int64_t>;

inline std::mt19937_64 engine;
inline int64_t cases = 0;
inline uint64_t found = 0;  // a digest of all results

inline int64_t Below(int64_t n) { return static_cast<int64_t>(engine() % n); }
inline bool OneIn(int64_t n) { return Below(n) == 0; }

// Of any bits at first.
template <typename T>
class Array {
 public:
  explicit Array(const Dims& dims)
      : shape(common::make_ddim(dims)),
        numel(common::product(shape)),
        bytes_(new char[numel * sizeof(T)]) {
    const int64_t count = numel * sizeof(T);
    for (int64_t i = 0; i < count; i += 8) {
      const uint64_t bits = engine();
      std::memcpy(bytes_.get() + i, &bits, std::min<int64_t>(8, count - i));
    }
  }
  operator T*() const {  // NOLINT
    return reinterpret_cast<T*>(bytes_.get());
  }
  // Nothing where it is not wanted.
  T* If(bool wanted) const { return wanted ? static_cast<T*>(*this) : nullptr; }
  // Counts as a result.
  void Note() const {
    const std::string_view bits(bytes_.get(), numel * sizeof(T));
    found = found * 31 + std::hash<std::string_view>{}(bits);
  }
  phi::DDim shape;
  int64_t numel;

 private:
  std::unique_ptr<char[]> bytes_;
};

template <typename T, typename F>
Array<T> Filled(const Dims& dims, const F& next) {
  Array<T> array(dims);
  for (int64_t i = 0; i < array.numel; ++i) array[i] = next();
  return array;
}

template <typename T, typename U>
Array<T> Converted(const Array<U>& from) {
  Array<T> array(common::vectorize(from.shape));
  std::transform(&from[0], &from[0] + from.numel, &array[0], [](U value) {
    return static_cast<T>(value);
  });
  return array;
}

// Every integer, or sevenths between -most and most.
template <typename T>
Array<T> Numbers(const Dims& dims, int64_t most = 9) {
  if constexpr (std::is_integral_v<T>) {
    return Array<T>(dims);
  } else {
    return Filled<T>(dims, [=] {
      return static_cast<T>((Below(2 * most + 1) - most) / 7.0f);
    });
  }
}

// Some have elements enough for several threads.
inline Dims RandomDims() {
  int64_t numel = OneIn(5) ? 150000 + Below(20000) : 1 + Below(300);
  Dims dims(Below(4));
  for (int64_t& dim : dims) {
    dim = 1 + Below(OneIn(2) ? 5 : numel);
    numel = std::max<int64_t>(1, numel / dim);
  }
  dims.push_back(numel);
  std::shuffle(dims.begin(), dims.end(), engine);
  return dims;
}

// Dims that broadcast to others.
inline Dims Broadcasting(const Dims& dims) {
  if (OneIn(2)) return dims;
  Dims own(dims.begin() + (OneIn(4) ? Below(dims.size()) : 0), dims.end());
  for (int64_t& dim : own) {
    if (OneIn(3)) dim = 1;
  }
  return own;
}

// What main() calls.
void CheckWords();
void CheckIndexed();

}  // namespace check
