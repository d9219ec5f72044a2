// Paddle's own operators masked_fill and scatter as entries, like those that
// are generated from ops_yaml/: dygraph calls our kernels for them directly.

#pragma once

#include "kernels/runtime.h"

namespace native_ops {

const OpSpec& MaskedFillSpec();
const OpSpec& ScatterSpec();

// Those that Python calls.
std::vector<const OpSpec*> BaseOps();

}  // namespace native_ops
