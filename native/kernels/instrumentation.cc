#include "kernels/instrumentation.h"

#include <iostream>

#include "paddle/phi/core/kernel_factory.h"

namespace native_ops {

void Report(const OpSpec& spec, const Inputs& inputs) {
  if (FLAGS_low_precision_op_list) {
    phi::KernelFactory::Instance().AddToLowPrecisionKernelList(
        spec.name, inputs[spec.dtype_input]->dtype());
  }
  if (FLAGS_benchmark) {
    std::cout << spec.name << " kernel run finish." << std::endl;
  }
}

}  // namespace native_ops
