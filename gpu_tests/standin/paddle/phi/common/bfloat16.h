// PyTorch's own, which it brings along for every compiler.

#pragma once

#include <c10/util/BFloat16.h>

namespace phi::dtype {

using bfloat16 = c10::BFloat16;

}  // namespace phi::dtype
