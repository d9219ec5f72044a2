#pragma once

#include "paddle/phi/core/meta_tensor.h"

namespace phi {

PADDLE_API void SelectScatterInferMeta(const MetaTensor& x,
                                       const MetaTensor& values,
                                       int axis,
                                       int64_t index,
                                       MetaTensor* out);

}  // namespace phi
