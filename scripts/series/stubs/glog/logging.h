// What Paddle's headers use of glog, whose own are not in its wheel: enough to
// compile, and a stream that drops everything.

#pragma once

#include <ostream>

namespace google {

struct DroppedLog : std::ostream {
  DroppedLog() : std::ostream(nullptr) {}
};

}  // namespace google

#define LOG(severity) google::DroppedLog()
#define VLOG(level) google::DroppedLog()
#define VLOG_IS_ON(level) false
#define CHECK(condition) google::DroppedLog() << (condition)
