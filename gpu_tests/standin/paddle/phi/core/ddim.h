#pragma once

#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace common {

class DDim {
 public:
  static constexpr int kMaxRank = 9;

  DDim() = default;
  explicit DDim(std::vector<int64_t> dims) : dims_(std::move(dims)) {
    if (size() > kMaxRank) throw std::invalid_argument("more than 9 dims");
  }

  int size() const { return static_cast<int>(dims_.size()); }
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t& operator[](int i) { return dims_[i]; }

  bool operator==(const DDim& other) const { return dims_ == other.dims_; }

  const std::vector<int64_t>& all() const { return dims_; }

 private:
  std::vector<int64_t> dims_;
};

inline DDim make_ddim(const std::vector<int64_t>& dims) { return DDim(dims); }

inline std::vector<int64_t> vectorize(const DDim& dims) { return dims.all(); }

inline int64_t product(const DDim& dims) {
  int64_t result = 1;
  for (int64_t dim : dims.all()) result *= dim;
  return result;
}

inline DDim slice_ddim(const DDim& dims, int begin, int end) {
  const auto first = dims.all().begin();
  return make_ddim({first + begin, first + end});
}

inline std::ostream& operator<<(std::ostream& out, const DDim& dims) {
  for (int i = 0; i < dims.size(); ++i) out << (i ? ", " : "") << dims[i];
  return out;
}

}  // namespace common

namespace phi {
using common::DDim;
using common::make_ddim;
using common::product;
using common::vectorize;
}  // namespace phi
