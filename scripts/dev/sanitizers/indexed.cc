// The core of scatter, index_scatter and index_reduce.

#include <type_traits>

#include "indexed_case.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/forward.h"

namespace ops = phi::funcs::scatter_ops;
using ops::IndexReduce;
using phi::dtype::bfloat16;
using phi::dtype::complex;

namespace check {
namespace {

// What a result is computed in.
template <typename T>
struct ExactOf {
  using type = std::conditional_t<std::is_integral<T>::value, __int128, double>;
};
template <typename T>
struct ExactOf<complex<T>> {
  using type = complex<double>;
};

template <typename T>
typename ExactOf<T>::type Product(typename ExactOf<T>::type a, T b) {
  using Exact = typename ExactOf<T>::type;
  if constexpr (std::is_integral<T>::value) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) *
                                static_cast<uint64_t>(b));
  } else {
    return a * static_cast<Exact>(b);
  }
}

template <typename T>
T Quotient(typename ExactOf<T>::type sum, int64_t count) {
  if constexpr (std::is_integral<T>::value) {
    const __int128 quotient = sum / count;
    return static_cast<T>(quotient - (sum % count < 0));
  } else if constexpr (ops::IsComplexNumber<T>::value) {
    return static_cast<T>(complex<double>(sum.real / count, sum.imag / count));
  } else {
    return static_cast<T>(sum / static_cast<double>(count));
  }
}

template <typename T, IndexReduce kReduce>
T Reduced(const std::vector<T>& elements) {
  using Exact = typename ExactOf<T>::type;
  Exact result = static_cast<Exact>(elements[0]);
  for (size_t i = 1; i < elements.size(); ++i) {
    if constexpr (kReduce == IndexReduce::kMul) {
      result = Product<T>(result, elements[i]);
    } else if constexpr (kReduce == IndexReduce::kAmax) {
      result = std::max(result, static_cast<Exact>(elements[i]));
    } else if constexpr (kReduce == IndexReduce::kAmin) {
      result = std::min(result, static_cast<Exact>(elements[i]));
    } else {
      result = result + static_cast<Exact>(elements[i]);
    }
  }
  if constexpr (kReduce == IndexReduce::kAssign) return elements.back();
  if constexpr (kReduce == IndexReduce::kMean) {
    return Quotient<T>(result, static_cast<int64_t>(elements.size()));
  }
  return static_cast<T>(result);
}

// Every integer, and numbers whose reductions are exact.
template <typename T, IndexReduce kReduce>
Array<T> Numbers(Random* random, int64_t n) {
  if constexpr (std::is_integral<T>::value) {
    return RandomBits<T>(random, n);
  } else if constexpr (kReduce == IndexReduce::kMul) {
    Array<T> signs(n);
    for (int64_t i = 0; i < n; ++i) {
      signs[i] = static_cast<T>(OneIn(random, 2) ? 1.0f : -1.0f);
    }
    return signs;
  } else {
    return RandomDigits<T>(random, n);
  }
}

template <typename T, IndexReduce kReduce>
int CheckReduce(Random* random) {
  const IndexedCase c(random);
  const bool self = c.include_self && kReduce != IndexReduce::kAssign;
  Array<T> x = Numbers<T, kReduce>(random, c.x_numel());
  const Array<T> updates = Numbers<T, kReduce>(random, c.updates_numel());
  Array<T> expected(c.x_numel());
  std::vector<T> elements;
  c.ForEachElement([&](int64_t at, const std::vector<int64_t>& from) {
    elements.clear();
    if (self || from.empty()) elements.push_back(x[at]);
    for (const int64_t u : from) elements.push_back(updates[u]);
    expected[at] = from.empty() ? x[at] : Reduced<T, kReduce>(elements);
  });
  const bool in_place = OneIn(random, 2);
  Array<T> fresh(c.x_numel());
  Array<T>* out = in_place ? &x : &fresh;
  ops::ReduceSlots<T, kReduce>(
      c.view(), c.slots, self, x.data(), updates.data(), out->data());
  ExpectSame("reduction by an index", *out, expected);
  return 1;
}

}  // namespace

int CheckIndexed(Random* random) {
  return CheckReduce<float, IndexReduce::kAssign>(random) +
         CheckReduce<float, IndexReduce::kSum>(random) +
         CheckReduce<float, IndexReduce::kMean>(random) +
         CheckReduce<float, IndexReduce::kAmax>(random) +
         CheckReduce<bfloat16, IndexReduce::kMean>(random) +
         CheckReduce<complex<double>, IndexReduce::kMul>(random) +
         CheckReduce<int64_t, IndexReduce::kMul>(random) +
         CheckReduce<int64_t, IndexReduce::kMean>(random) +
         CheckReduce<int32_t, IndexReduce::kSum>(random) +
         CheckReduce<int8_t, IndexReduce::kMean>(random) +
         CheckReduce<int8_t, IndexReduce::kAmin>(random);
}

}  // namespace check
