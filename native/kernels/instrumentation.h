// Reports calls to the profiler, to the operator statistics of
// paddle.amp.debugging, and for FLAGS_check_nan_inf and FLAGS_benchmark. The
// overhead is a few loads per call while they are disabled.

#pragma once

#include <optional>
#include <string>

#include "kernels/runtime.h"
#include "paddle/common/flags.h"
#include "paddle/phi/api/profiler/event_tracing.h"

COMMON_DECLARE_bool(benchmark);
COMMON_DECLARE_bool(check_nan_inf);
COMMON_DECLARE_int32(low_precision_op_list);

namespace native_ops {

// A profiler event that lasts as long as the object.
class Span {
 public:
  Span(const char* op, const char* what, phi::TracerEventType type) {
    if (phi::RecordEvent::IsEnabled()) {
      event_.emplace(std::string(op) + what, type, /*level=*/1);
    }
  }

 private:
  std::optional<phi::RecordEvent> event_;
};

// Reports a kernel run by dygraph. Static graph executors report their own.
void ReportKernel(const OpSpec& spec, const Inputs& inputs);

}  // namespace native_ops
