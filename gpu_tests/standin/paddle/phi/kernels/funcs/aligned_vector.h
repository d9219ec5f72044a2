#pragma once

#include "paddle/common/hostdevice.h"

namespace phi {

// Neighbours that one access moves.
template <typename T, int Size>
struct alignas(sizeof(T) * Size) AlignedVector {
  T val[Size];

  HOSTDEVICE const T& operator[](int i) const { return val[i]; }
  HOSTDEVICE T& operator[](int i) { return val[i]; }
};

template <typename T, int Size>
HOSTDEVICE inline void Load(const T* from, AlignedVector<T, Size>* to) {
  *to = *reinterpret_cast<const AlignedVector<T, Size>*>(from);
}

template <typename T, int Size>
HOSTDEVICE inline void Store(const AlignedVector<T, Size>& from, T* to) {
  *reinterpret_cast<AlignedVector<T, Size>*>(to) = from;
}

}  // namespace phi
