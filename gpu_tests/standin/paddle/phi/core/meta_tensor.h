#pragma once

#include "paddle/phi/core/dense_tensor.h"

namespace phi {

// What is known of a tensor without its data.
class MetaTensor {
 public:
  explicit MetaTensor(const DenseTensor& tensor) : tensor_(&tensor) {}

  const DDim& dims() const { return tensor_->dims(); }
  DataType dtype() const { return tensor_->dtype(); }

 private:
  const DenseTensor* tensor_;
};

}  // namespace phi
