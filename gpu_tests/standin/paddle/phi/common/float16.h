// PyTorch's own, which it brings along for every compiler.

#pragma once

#include <c10/util/Half.h>

namespace phi::dtype {

using float16 = c10::Half;

}  // namespace phi::dtype
