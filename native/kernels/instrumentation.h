// What Paddle's tools see of a call: the profiler, the statistics of operators
// (paddle.amp.debugging), FLAGS_check_nan_inf and FLAGS_benchmark. While they
// are off, a call pays for a few loads.

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

// An event of the profiler, as long as the object lives.
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

// Dygraph has run the kernel. A static graph's executor reports its own.
void ReportKernel(const OpSpec& spec, const Inputs& inputs);

}  // namespace native_ops
