// The attributes of a custom operator and of its gradients: those of one entry,
// `base`, whatever the entry that is run for them.

#pragma once

#include <string>
#include <vector>

#include "kernels/runtime.h"
#include "paddle/phi/api/ext/op_meta_info.h"

namespace native_ops {

// "name: type" of each, as a custom operator declares them. A gradient that is
// an operator of its own is told besides which of its results are wanted.
std::vector<std::string> DeclaredAttrs(const OpSpec& base);

// The attributes of `spec` among those of a custom call.
Attrs ConvertAttrs(const OpSpec& base,
                   const OpSpec& spec,
                   const std::vector<paddle::any>& values);

// Which results of a custom call are to be computed.
std::vector<bool> WantedOutputs(const OpSpec& base,
                                const OpSpec& spec,
                                const std::vector<paddle::any>& values);

}  // namespace native_ops
