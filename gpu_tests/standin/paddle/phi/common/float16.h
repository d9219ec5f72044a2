// PyTorch's own, which it brings along for every compiler.

#pragma once

#include <c10/util/Half.h>

namespace phi {
namespace dtype {

using float16 = c10::Half;

}  // namespace dtype
}  // namespace phi
