#pragma once

#include <type_traits>

#include "paddle/common/hostdevice.h"

namespace phi::dtype {

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

  HOSTDEVICE friend complex operator+(complex a, complex b) {
    return {a.real + b.real, a.imag + b.imag};
  }
  HOSTDEVICE friend complex operator*(complex a, complex b) {
    return {a.real * b.real - a.imag * b.imag,
            a.real * b.imag + a.imag * b.real};
  }
  HOSTDEVICE complex& operator+=(complex b) { return *this = *this + b; }
  HOSTDEVICE friend bool operator==(complex a, complex b) {
    return a.real == b.real && a.imag == b.imag;
  }
};

}  // namespace phi::dtype
