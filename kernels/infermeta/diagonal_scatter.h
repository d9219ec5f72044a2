#pragma once

#include "paddle/phi/core/meta_tensor.h"

namespace phi {

PADDLE_API void DiagonalScatterInferMeta(const MetaTensor& x,
                                         const MetaTensor& y,
                                         int64_t offset,
                                         int axis1,
                                         int axis2,
                                         MetaTensor* out);

}  // namespace phi
