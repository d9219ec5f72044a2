#include "custom_attrs.h"

#include <cstring>

namespace native_ops {

namespace {

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
  }
  return false;
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
  }
  return "";
}

}  // namespace

CustomOrder::CustomOrder(const OpSpec& spec) {
  const std::vector<AttrSpec>& all = spec.forward().attrs;
  zero_dim = all.size();
  for (const AttrSpec& attr : spec.attrs) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (std::strcmp(attr.name, all[i].name) == 0) attrs.push_back(i);
    }
  }
}

Attrs ConvertAttrs(const OpSpec& spec, const std::vector<paddle::any>& values) {
  const CustomOrder order(spec);
  Attrs attrs;
  for (size_t i = 0; i < spec.attrs.size(); ++i) {
    attrs.push_back(ConvertAttr(spec.attrs[i], values.at(order.attrs[i])));
  }
  return attrs;
}

std::string NamesAt(size_t i, const std::vector<paddle::any>& values) {
  return i < values.size() ? paddle::any_cast<std::string>(values[i]) : "";
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
