#include "dygraph/fill_values.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>

#include "kernels/runtime.h"

namespace native_ops {

using paddle::Tensor;
using phi::DenseTensor;

namespace {

// An element in the first bytes, zeros behind it.
using Bits = std::array<char, 8>;

template <typename T>
Bits BitsOf(T element) {
  Bits bits{};
  std::memcpy(bits.data(), &element, sizeof(T));
  return bits;
}

// A number as it stands: bool and whatever else counts as one are left out.
std::optional<double> ExactDouble(PyObject* number) {
  constexpr int64_t kExact = int64_t{1} << 53;
  if (PyFloat_CheckExact(number)) return PyFloat_AS_DOUBLE(number);
  if (!PyLong_CheckExact(number)) return std::nullopt;
  int overflow = 0;
  const int64_t whole = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0 || whole < -kExact || whole > kExact) return std::nullopt;
  return static_cast<double>(whole);
}

template <typename T>
std::optional<Bits> WholeBits(PyObject* number) {
  if (!PyLong_CheckExact(number)) return std::nullopt;
  int overflow = 0;
  const int64_t whole = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0 || whole != static_cast<T>(whole)) return std::nullopt;
  return BitsOf(static_cast<T>(whole));
}

std::optional<Bits> ElementBits(phi::DataType dtype, PyObject* number) {
  switch (dtype) {
    case phi::DataType::FLOAT32:
      if (const auto found = ExactDouble(number)) {
        return BitsOf(static_cast<float>(*found));
      }
      return std::nullopt;
    case phi::DataType::FLOAT64:
      if (const auto found = ExactDouble(number)) return BitsOf(*found);
      return std::nullopt;
    case phi::DataType::INT32:
      return WholeBits<int32_t>(number);
    case phi::DataType::INT64:
      return WholeBits<int64_t>(number);
    default:
      return std::nullopt;
  }
}

std::shared_ptr<Tensor> MakeElement(phi::DataType dtype, const Bits& bits) {
  auto dense = std::make_shared<DenseTensor>(MetaOnly({}, dtype));
  void* data = CpuContext().Alloc(dense.get(), dtype);
  std::memcpy(data, bits.data(), phi::SizeOf(dtype));
  return std::make_shared<Tensor>(std::move(dense));
}

struct Known {
  phi::DataType dtype;
  Bits bits;
  std::shared_ptr<Tensor> tensor;
};

}  // namespace

std::shared_ptr<Tensor> FillValue(phi::DataType dtype, PyObject* number) {
  // Guarded by the GIL. Never destroyed: Paddle's allocator may be gone by
  // then.
  static auto* const known = new std::array<Known, 16>();
  static size_t next = 0;
  const std::optional<Bits> bits = ElementBits(dtype, number);
  if (!bits) return nullptr;
  for (Known& one : *known) {
    if (one.dtype == dtype && one.bits == *bits) return one.tensor;
  }
  Known& one = (*known)[next];
  next = (next + 1) % known->size();
  one = {dtype, *bits, MakeElement(dtype, *bits)};
  return one.tensor;
}

}  // namespace native_ops
