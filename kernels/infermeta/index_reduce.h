#pragma once

#include "paddle/phi/core/meta_tensor.h"

namespace phi {

PADDLE_API void IndexReduceInferMeta(const MetaTensor& x,
                                     const MetaTensor& index,
                                     const MetaTensor& updates,
                                     int axis,
                                     const std::string& reduce,
                                     bool include_self,
                                     MetaTensor* out);

}  // namespace phi
