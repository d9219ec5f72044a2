#include "static/custom_attrs.h"

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

// Where an attribute stands among those of `base`.
size_t PositionIn(const OpSpec& base, const AttrSpec& attr) {
  size_t at = 0;
  while (std::strcmp(base.attrs.at(at).name, attr.name) != 0) ++at;
  return at;
}

}  // namespace

Attrs ConvertAttrs(const OpSpec& base,
                   const OpSpec& spec,
                   const std::vector<paddle::any>& values) {
  Attrs attrs;
  for (const AttrSpec& attr : spec.attrs) {
    attrs.push_back(ConvertAttr(attr, values.at(PositionIn(base, attr))));
  }
  return attrs;
}

std::vector<std::string> DeclaredAttrs(const OpSpec& base) {
  std::vector<std::string> declared;
  for (const AttrSpec& attr : base.attrs) {
    declared.push_back(std::string(attr.name) + ": " +
                       CustomAttrType(attr.type));
  }
  if (base.is_backward) declared.push_back("wanted: std::vector<int>");
  return declared;
}

std::vector<bool> WantedOutputs(const OpSpec& base,
                                const OpSpec& spec,
                                const std::vector<paddle::any>& values) {
  if (!base.is_backward || &base != &spec) {
    return std::vector<bool>(spec.outputs.size(), true);
  }
  std::vector<bool> wanted(spec.outputs.size());
  for (const int i :
       paddle::any_cast<std::vector<int>>(values.at(base.attrs.size()))) {
    wanted.at(i) = true;
  }
  return wanted;
}

}  // namespace native_ops
