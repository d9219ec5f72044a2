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

template <typename From, typename To>
To Paddles(From element) {
  return static_cast<To>(element);
}

template <typename From, typename To, To (*kConvert)(From) = Paddles<From, To>>
void Each(const void* from, void* to, int64_t n) {
  const auto* in = static_cast<const From*>(from);
  auto* out = static_cast<To*>(to);
  for (int64_t i = 0; i < n; ++i) out[i] = kConvert(in[i]);
}

struct Conversion {
  Converter ours, paddles;
};

template <typename From, typename To, To (*kConvert)(From)>
constexpr Conversion kOf = {Each<From, To, kConvert>, Each<From, To>};

// The test reads the names and types of this table.
const std::map<std::string, Conversion> kConversions = {
    {"ToFloat<float16>", kOf<float16, float, ops::ToFloat>},
    {"ToFloat<bfloat16>", kOf<bfloat16, float, ops::ToFloat>},
    {"WidenTo<float, float16>", kOf<float16, float, ops::WidenTo<float>>},
    {"WidenTo<float, bfloat16>", kOf<bfloat16, float, ops::WidenTo<float>>},
    {"WidenTo<double, float16>", kOf<float16, double, ops::WidenTo<double>>},
    {"WidenTo<double, bfloat16>", kOf<bfloat16, double, ops::WidenTo<double>>},
    {"RoundToFloat16", kOf<float, float16, ops::RoundToFloat16>},
    {"RoundToBfloat16", kOf<float, bfloat16, ops::RoundToBfloat16>},
    {"RoundTo<float16, float>", kOf<float, float16, ops::RoundTo<float16>>},
    {"RoundTo<bfloat16, float>", kOf<float, bfloat16, ops::RoundTo<bfloat16>>},
    {"RoundTo<float16, double>", kOf<double, float16, ops::RoundTo<float16>>},
    {"RoundTo<bfloat16, double>",
     kOf<double, bfloat16, ops::RoundTo<bfloat16>>},
};

}  // namespace

// Converts `n` elements with both functions.
extern "C" void convert(
    const char* name, const void* from, void* ours, void* paddles, int64_t n) {
  const Conversion& conversion = kConversions.at(name);
  conversion.ours(from, ours, n);
  conversion.paddles(from, paddles, n);
}
