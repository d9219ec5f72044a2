#pragma once

#include "paddle/phi/core/meta_tensor.h"

namespace phi {

PADDLE_API void MaskedScatterInferMeta(const MetaTensor& x,
                                       const MetaTensor& mask,
                                       const MetaTensor& value,
                                       MetaTensor* out);

}  // namespace phi
