#include "custom_attrs.h"

#include <cstring>

namespace native_ops {

namespace {

// Of a type that an old static graph does not pass on to InferShape.
bool IsVector(const AttrSpec& attr) {
  return attr.type == AttrType::kScalar || attr.type == AttrType::kInt64s;
}

enum ScalarKind : int64_t { kBoolean, kInteger, kReal, kComplex };

int64_t Bits(double value) {
  int64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

double FromBits(int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

phi::Scalar DecodeScalar(const std::vector<int64_t>& code) {
  if (code.size() != 3) return phi::Scalar(0.0);
  switch (code[0]) {
    case kBoolean:
      return phi::Scalar(code[1] != 0);
    case kInteger:
      return phi::Scalar(code[1]);
    case kReal:
      return phi::Scalar(FromBits(code[1]));
    default:
      return phi::Scalar(
          phi::dtype::complex<double>(FromBits(code[1]), FromBits(code[2])));
  }
}

Attr ConvertAttr(const AttrSpec& attr, const paddle::any& value) {
  switch (attr.type) {
    case AttrType::kBool:
      return paddle::any_cast<bool>(value);
    case AttrType::kInt:
      return paddle::any_cast<int>(value);
    case AttrType::kInt64:
      return paddle::any_cast<int64_t>(value);
    case AttrType::kFloat:
      return paddle::any_cast<float>(value);
    case AttrType::kString:
      return paddle::any_cast<std::string>(value);
    case AttrType::kInt64s:
      return paddle::any_cast<std::vector<int64_t>>(value);
    case AttrType::kScalar:
      return DecodeScalar(paddle::any_cast<std::vector<int64_t>>(value));
  }
  return false;
}

Attr MissingAttr(const AttrSpec& attr) {
  if (attr.type == AttrType::kScalar) return phi::Scalar(0.0);
  return std::vector<int64_t>();
}

const char* CustomAttrType(AttrType type) {
  switch (type) {
    case AttrType::kBool:
      return "bool";
    case AttrType::kInt:
      return "int";
    case AttrType::kInt64:
      return "int64_t";
    case AttrType::kFloat:
      return "float";
    case AttrType::kString:
      return "std::string";
    case AttrType::kInt64s:
    case AttrType::kScalar:
      return "std::vector<int64_t>";
  }
  return "";
}

}  // namespace

CustomOrder::CustomOrder(const OpSpec& spec) {
  const std::vector<AttrSpec>& all = spec.forward().attrs;
  std::vector<size_t> places(all.size());
  size_t next = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!IsVector(all[i])) places[i] = next++;
  }
  zero_dim = next++;
  for (size_t i = 0; i < all.size(); ++i) {
    if (IsVector(all[i])) places[i] = next++;
  }
  for (const AttrSpec& attr : spec.attrs) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (std::strcmp(attr.name, all[i].name) == 0) attrs.push_back(places[i]);
    }
  }
}

Attrs ConvertAttrs(const OpSpec& spec, const std::vector<paddle::any>& values) {
  const CustomOrder order(spec);
  Attrs attrs;
  for (size_t i = 0; i < spec.attrs.size(); ++i) {
    if (order.attrs[i] < values.size()) {
      attrs.push_back(ConvertAttr(spec.attrs[i], values[order.attrs[i]]));
    } else {
      attrs.push_back(MissingAttr(spec.attrs[i]));
    }
  }
  return attrs;
}

std::string NamesAt(size_t i, const std::vector<paddle::any>& values) {
  return i < values.size() ? paddle::any_cast<std::string>(values[i]) : "";
}

std::vector<int64_t> EncodeScalar(const phi::Scalar& scalar) {
  switch (scalar.dtype()) {
    case phi::DataType::BOOL:
      return {kBoolean, scalar.to<bool>(), 0};
    case phi::DataType::INT64:
      return {kInteger, scalar.to<int64_t>(), 0};
    case phi::DataType::FLOAT64:
      return {kReal, Bits(scalar.to<double>()), 0};
    default: {
      const auto value = scalar.to<phi::dtype::complex<double>>();
      return {kComplex, Bits(value.real), Bits(value.imag)};
    }
  }
}

std::vector<std::string> DeclaredAttrs(const OpSpec& forward) {
  const CustomOrder order(forward);
  std::vector<std::string> attrs(forward.attrs.size() + 1);
  for (size_t i = 0; i < forward.attrs.size(); ++i) {
    attrs[order.attrs[i]] = std::string(forward.attrs[i].name) + ": " +
                            CustomAttrType(forward.attrs[i].type);
  }
  attrs[order.zero_dim] = "native_zero_dim: std::string";
  return attrs;
}

}  // namespace native_ops
