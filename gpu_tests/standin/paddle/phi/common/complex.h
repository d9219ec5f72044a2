#pragma once

#include <type_traits>

#include "paddle/common/hostdevice.h"

namespace phi {
namespace dtype {

template <typename T>
struct alignas(2 * sizeof(T)) complex {
  T real;
  T imag;

  complex() = default;
  HOSTDEVICE complex(T re, T im) : real(re), imag(im) {}
  template <typename U, std::enable_if_t<std::is_arithmetic<U>::value, int> = 0>
  HOSTDEVICE explicit complex(U re) : real(static_cast<T>(re)), imag(0) {}
  template <typename U>
  HOSTDEVICE explicit complex(const complex<U>& other)
      : real(static_cast<T>(other.real)), imag(static_cast<T>(other.imag)) {}
};

template <typename T>
HOSTDEVICE inline complex<T> operator+(complex<T> a, complex<T> b) {
  return {a.real + b.real, a.imag + b.imag};
}

template <typename T>
HOSTDEVICE inline complex<T> operator-(complex<T> a, complex<T> b) {
  return {a.real - b.real, a.imag - b.imag};
}

template <typename T>
HOSTDEVICE inline complex<T> operator*(complex<T> a, complex<T> b) {
  return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
}

template <typename T>
HOSTDEVICE inline complex<T> operator/(complex<T> a, complex<T> b) {
  const T norm = b.real * b.real + b.imag * b.imag;
  const complex<T> product = a * complex<T>(b.real, -b.imag);
  return {product.real / norm, product.imag / norm};
}

template <typename T>
HOSTDEVICE inline complex<T>& operator+=(complex<T>& a,  // NOLINT
                                         complex<T> b) {
  return a = a + b;
}

template <typename T>
HOSTDEVICE inline bool operator==(complex<T> a, complex<T> b) {
  return a.real == b.real && a.imag == b.imag;
}

template <typename T>
HOSTDEVICE inline bool operator!=(complex<T> a, complex<T> b) {
  return !(a == b);
}

}  // namespace dtype
}  // namespace phi
