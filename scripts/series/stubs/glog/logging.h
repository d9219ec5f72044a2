// Stub of glog, whose headers Paddle's wheel lacks: the macros that Paddle's
// headers use, and a stream that discards its input.

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
