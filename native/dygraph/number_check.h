// FLAGS_check_nan_inf for the results of dygraph.

#pragma once

#include <string>

#include "dygraph/eager_abi.h"
#include "kernels/instrumentation.h"

namespace native_ops {

// An error that names the operator if FLAGS_check_nan_inf asks for one.
// `results`: a Tensor, or the slots that a node of the backward graph returns.
// `form`: what the operator's name ends with.
template <typename Results>
void CheckNumbers(const OpSpec& spec,
                  const Results& results,
                  const char* form = "") {
  if (FLAGS_check_nan_inf) {
    egr::CheckTensorHasNanOrInf(std::string(spec.name) + form, results);
  }
}

}  // namespace native_ops
