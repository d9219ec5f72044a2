#include "kernels/base_ops.h"

#include <tuple>

// Exported by libpaddle.so, declared by no header of the wheel.
__attribute__((visibility("default")))
std::tuple<paddle::Tensor, paddle::Tensor>
masked_fill_grad_ad_func(const paddle::Tensor& x,
                         const paddle::Tensor& mask,
                         const paddle::Tensor& value,
                         const paddle::Tensor& out_grad);

namespace native_ops {

std::vector<paddle::Tensor> MaskedFillGradRecorded(
    const std::vector<paddle::Tensor>& inputs, const Attrs&) {
  const auto [x_grad, value_grad] =
      masked_fill_grad_ad_func(inputs[0], inputs[1], inputs[2], inputs[3]);
  return {x_grad, value_grad};
}

}  // namespace native_ops
