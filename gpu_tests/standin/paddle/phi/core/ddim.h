#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace common {

class DDim {
 public:
  static constexpr int kMaxRank = 9;

  DDim() = default;
  DDim(const int64_t* dims, int rank) : rank_(rank) {
    if (rank > kMaxRank) throw std::invalid_argument("more than 9 dims");
    for (int i = 0; i < rank; ++i) dims_[i] = dims[i];
  }

  int size() const { return rank_; }
  int64_t operator[](int i) const { return dims_[i]; }
  int64_t& operator[](int i) { return dims_[i]; }

  bool operator==(const DDim& other) const {
    if (rank_ != other.rank_) return false;
    for (int i = 0; i < rank_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }
  bool operator!=(const DDim& other) const { return !(*this == other); }

 private:
  int rank_ = 0;
  int64_t dims_[kMaxRank] = {};
};

inline DDim make_ddim(const std::vector<int64_t>& dims) {
  return DDim(dims.data(), static_cast<int>(dims.size()));
}

inline DDim make_ddim(std::initializer_list<int64_t> dims) {
  return DDim(dims.begin(), static_cast<int>(dims.size()));
}

inline std::vector<int64_t> vectorize(const DDim& dims) {
  std::vector<int64_t> result(dims.size());
  for (int i = 0; i < dims.size(); ++i) result[i] = dims[i];
  return result;
}

inline int64_t product(const DDim& dims) {
  int64_t result = 1;
  for (int i = 0; i < dims.size(); ++i) result *= dims[i];
  return result;
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
