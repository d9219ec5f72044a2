// Converts arrays with the conversions of 16-bit floating-point types in
// shared/types.h and with Paddle's own, for tests.

#include <cstdint>
#include <map>
#include <string>

#include "paddle/phi/kernels/funcs/scatter_ops/shared/types.h"

using phi::dtype::bfloat16;
using phi::dtype::float16;
namespace ops = phi::funcs::scatter_ops;

namespace {

using Converter = void (*)(const void* from, void* to, int64_t n);

template <typename From, typename To, To (*kConvert)(From)>
void Each(const void* from, void* to, int64_t n) {
  const auto* in = static_cast<const From*>(from);
  auto* out = static_cast<To*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = kConvert(in[i]);
}

template <typename From, typename To>
To Paddles(From element) {
  return static_cast<To>(element);
}

const std::map<std::string, Converter> kConverters = {
    {"ToFloat<float16>", Each<float16, float, ops::ToFloat>},
    {"ToFloat<bfloat16>", Each<bfloat16, float, ops::ToFloat>},
    {"WidenTo<float, float16>", Each<float16, float, ops::WidenTo<float>>},
    {"WidenTo<float, bfloat16>", Each<bfloat16, float, ops::WidenTo<float>>},
    {"WidenTo<double, float16>", Each<float16, double, ops::WidenTo<double>>},
    {"WidenTo<double, bfloat16>", Each<bfloat16, double, ops::WidenTo<double>>},
    {"RoundToFloat16", Each<float, float16, ops::RoundToFloat16>},
    {"RoundToBfloat16", Each<float, bfloat16, ops::RoundToBfloat16>},
    {"RoundTo<float16, float>", Each<float, float16, ops::RoundTo<float16>>},
    {"RoundTo<bfloat16, float>", Each<float, bfloat16, ops::RoundTo<bfloat16>>},
    {"RoundTo<float16, double>", Each<double, float16, ops::RoundTo<float16>>},
    {"RoundTo<bfloat16, double>",
     Each<double, bfloat16, ops::RoundTo<bfloat16>>},
    {"float16 to float", Each<float16, float, Paddles>},
    {"float16 to double", Each<float16, double, Paddles>},
    {"bfloat16 to float", Each<bfloat16, float, Paddles>},
    {"bfloat16 to double", Each<bfloat16, double, Paddles>},
    {"float to float16", Each<float, float16, Paddles>},
    {"float to bfloat16", Each<float, bfloat16, Paddles>},
    {"double to float16", Each<double, float16, Paddles>},
    {"double to bfloat16", Each<double, bfloat16, Paddles>},
};

}  // namespace

extern "C" void convert(const char* name,
                        const void* from,
                        void* to,
                        int64_t n) {
  kConverters.at(name)(from, to, n);
}
