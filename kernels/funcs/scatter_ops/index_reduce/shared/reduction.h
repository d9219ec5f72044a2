// Definitions of the reductions by an index, for all devices: the attributes of
// a call, tensors as [outer, size, inner] around the axis, and the arithmetic.

#pragma once

#include <cstdint>
#include <type_traits>

#include "paddle/common/hostdevice.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/core/ddim.h"
#include "paddle/phi/core/dense_tensor.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/checks.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

namespace phi::funcs::scatter_ops {

struct IndexReduceCall {
  IndexReduce reduce;
  int axis;
  bool include_self;
};

// x as [outer, size, inner] around its axis, updates as [outer, length, inner],
// where `length` is the length of the index, or 0 if x has no elements.
struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
  int64_t length = 0;

  AxisView(const DenseTensor& tensor, const DenseTensor& index, int axis) {
    const DDim& x = tensor.dims();
    const int dim = axis < 0 ? axis + x.size() : axis;
    for (int i = 0; i < dim; ++i) outer *= x[i];
    for (int i = dim + 1; i < x.size(); ++i) inner *= x[i];
    if (x.size() > 0) size = x[dim];  // x may be 0-D if index is empty
    if (numel() > 0) length = index.numel();
  }

  int64_t numel() const { return outer * size * inner; }
};

template <typename T>
struct IndexGradTensors {
  const T* x;        // null if the reduction is linear
  const T* updates;  // null if the reduction is linear
  const T* out;      // null if the reduction is linear
  const T* out_grad;
  T* x_grad;        // may be null
  T* updates_grad;  // may be null

  IndexGradTensors At(int64_t x_offset, int64_t updates_offset) const {
    return {x + x_offset,
            updates + updates_offset,
            out + x_offset,
            out_grad + x_offset,
            x_grad ? x_grad + x_offset : nullptr,
            updates_grad ? updates_grad + updates_offset : nullptr};
  }
};

// The data of `tensor`; null if it has no elements, for which data() throws.
template <typename T>
const T* DataOrNull(const DenseTensor& tensor) {
  return tensor.numel() == 0 ? nullptr : tensor.data<T>();
}

template <typename T>
struct IsComplexNumber : std::false_type {};
template <typename T>
struct IsComplexNumber<dtype::complex<T>> : std::true_type {};

template <typename T>
constexpr bool HasReduceFor(IndexReduce reduce) {
  return HasReduce(
      reduce, std::is_same<T, bool>::value, IsComplexNumber<T>::value);
}

// Accumulation type of a reduction. The mean of integers accumulates in
// int64_t.
template <typename T, IndexReduce kReduce>
using ReduceType = std::conditional_t<std::is_integral<T>::value &&
                                          kReduce == IndexReduce::kMean,
                                      int64_t,
                                      AccType<T>>;

// Integers wrap around.
template <typename T>
HOSTDEVICE inline T WrappingAdd(T a, T b) {
  if constexpr (std::is_same<T, bool>::value) {
    return a | b;
  } else if constexpr (std::is_integral<T>::value) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <typename T>
HOSTDEVICE inline T WrappingMul(T a, T b) {
  if constexpr (std::is_integral<T>::value) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else {
    return a * b;
  }
}

// Propagates NaN. Two selects instead of one condition: the first compiles to a
// single max instruction.
template <typename T>
HOSTDEVICE inline T NanMax(T a, T b) {
  const T larger = b > a ? b : a;
  return b != b ? b : larger;
}

template <typename T>
HOSTDEVICE inline T NanMin(T a, T b) {
  const T smaller = b < a ? b : a;
  return b != b ? b : smaller;
}

// Reduces two elements, the second of which is an update.
template <IndexReduce kReduce, typename T>
HOSTDEVICE inline T Combine(T a, T b) {
  if constexpr (kReduce == IndexReduce::kAssign) {
    return b;
  } else if constexpr (kReduce == IndexReduce::kMul) {
    return WrappingMul(a, b);
  } else if constexpr (kReduce == IndexReduce::kAmax) {
    return NanMax(a, b);
  } else if constexpr (kReduce == IndexReduce::kAmin) {
    return NanMin(a, b);
  } else {
    return WrappingAdd(a, b);
  }
}

// sum / count; integers round towards minus infinity.
template <typename T, typename Count>
HOSTDEVICE inline T DivideByCount(T sum, Count count) {
  if constexpr (IsComplexNumber<T>::value) {
    using Real = decltype(sum.real);
    return T(sum.real / static_cast<Real>(count),
             sum.imag / static_cast<Real>(count));
  } else if constexpr (std::is_integral<T>::value) {
    const int64_t wide = static_cast<int64_t>(sum);
    const int64_t quotient = wide / count;
    return static_cast<T>(quotient - (wide % count < 0 ? 1 : 0));
  } else {
    return sum / static_cast<T>(count);
  }
}

template <typename T>
HOSTDEVICE inline T Conjugate(T value) {
  if constexpr (IsComplexNumber<T>::value) {
    return T(value.real, -value.imag);
  } else {
    return value;
  }
}

// Equal, or both NaN.
template <typename T>
HOSTDEVICE inline bool EqualOrBothNan(T a, T b) {
  return (a == b) | ((a != a) & (b != b));
}

// The reductions of an operator.
template <IndexReduce... kReduces>
struct ReduceSet {};
using LinearReduces =
    ReduceSet<IndexReduce::kAssign, IndexReduce::kSum, IndexReduce::kMean>;
using NonlinearReduces =
    ReduceSet<IndexReduce::kMul, IndexReduce::kAmax, IndexReduce::kAmin>;

// Calls f with `reduce`, one of the set, as a compile-time constant.
template <typename T, IndexReduce... kReduces, typename F>
void VisitReduce(ReduceSet<kReduces...>, IndexReduce reduce, const F& f) {
  const auto visit = [&](auto constant) {
    if (decltype(constant)::value != reduce) return false;
    if constexpr (HasReduceFor<T>(decltype(constant)::value)) f(constant);
    return HasReduceFor<T>(decltype(constant)::value);
  };
  if (!(visit(std::integral_constant<IndexReduce, kReduces>{}) || ...)) {
    PADDLE_THROW(common::errors::InvalidArgument(
        "(scatter) The value of reduce should be assign, sum or mean for "
        "index_scatter, and mul, amax or amin for index_reduce, if the dtype "
        "of x has this reduction."));
  }
}

}  // namespace phi::funcs::scatter_ops
