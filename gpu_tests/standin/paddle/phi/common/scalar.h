#pragma once

#include <cstdint>

#include "paddle/phi/common/data_type.h"

namespace phi {

// A number that an operator has as an attribute.
class Scalar {
 public:
  explicit Scalar(bool value) : dtype_(DataType::BOOL), whole_(value) {}
  explicit Scalar(int64_t value) : dtype_(DataType::INT64), whole_(value) {}
  explicit Scalar(double value)
      : dtype_(DataType::FLOAT64), number_(value, 0) {}
  explicit Scalar(dtype::complex<double> value)
      : dtype_(DataType::COMPLEX128), number_(value) {}

  DataType dtype() const { return dtype_; }

  template <typename T>
  T to() const {
    const bool is_whole = dtype_ == DataType::BOOL || dtype_ == DataType::INT64;
    if (is_whole) return static_cast<T>(whole_);
    return Converted<T>::From(number_);
  }

 private:
  template <typename T>
  struct Converted {
    static T From(dtype::complex<double> number) {
      return static_cast<T>(number.real);
    }
  };
  template <typename T>
  struct Converted<dtype::complex<T>> {
    static dtype::complex<T> From(dtype::complex<double> number) {
      return dtype::complex<T>(number);
    }
  };

  DataType dtype_;
  int64_t whole_ = 0;
  dtype::complex<double> number_{0, 0};
};

}  // namespace phi
