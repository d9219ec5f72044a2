// The data types of the operators: a number, a name and a C++ type each.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "paddle/phi/common/bfloat16.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/common/float16.h"

#define STANDIN_EACH_DATA_TYPE(f)                                            \
  f(bool, BOOL, "bool") f(uint8_t, UINT8, "uint8") f(int8_t, INT8, "int8")   \
      f(int16_t, INT16, "int16") f(int32_t, INT32, "int32")                  \
          f(int64_t, INT64, "int64") f(dtype::float16, FLOAT16, "float16")   \
              f(dtype::bfloat16, BFLOAT16, "bfloat16")                       \
                  f(float, FLOAT32, "float32") f(double, FLOAT64, "float64") \
                      f(dtype::complex<float>, COMPLEX64, "complex64")       \
                          f(dtype::complex<double>, COMPLEX128, "complex128")

namespace phi {

enum class DataType : int {
#define STANDIN_ENUMERATOR(type, name, text) name,
  STANDIN_EACH_DATA_TYPE(STANDIN_ENUMERATOR)
#undef STANDIN_ENUMERATOR
      UNDEFINED
};

template <typename T>
struct CppTypeToDataType;

#define STANDIN_OF_CPP(type, name, text)                        \
  template <>                                                   \
  struct CppTypeToDataType<type> {                              \
    static constexpr DataType Type() { return DataType::name; } \
  };
STANDIN_EACH_DATA_TYPE(STANDIN_OF_CPP)
#undef STANDIN_OF_CPP

struct DataTypeInfo {
  const char* text;
  size_t size;
};

inline const DataTypeInfo& InfoOf(DataType type) {
#define STANDIN_INFO(type, name, text) {text, sizeof(type)},
  static constexpr DataTypeInfo kInfos[] = {
      STANDIN_EACH_DATA_TYPE(STANDIN_INFO){"undefined", 0}};
#undef STANDIN_INFO
  return kInfos[static_cast<int>(type)];
}

inline const char* DataTypeToString(DataType type) { return InfoOf(type).text; }
inline size_t SizeOf(DataType type) { return InfoOf(type).size; }

// The type of that name; UNDEFINED if there is none.
inline DataType DataTypeOf(const std::string& text) {
  for (int i = 0; i < static_cast<int>(DataType::UNDEFINED); ++i) {
    const auto type = static_cast<DataType>(i);
    if (text == DataTypeToString(type)) return type;
  }
  return DataType::UNDEFINED;
}

}  // namespace phi
