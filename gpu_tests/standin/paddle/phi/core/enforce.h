// Errors of the kernels, as exceptions with the texts that the kernels give.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "paddle/phi/core/ddim.h"

namespace common::errors {

// Each directive of `format` takes the next argument as a stream shows it.
template <typename... Args>
std::string Formatted(const char* format, const Args&... args) {
  std::ostringstream out;
  [[maybe_unused]] const auto put = [&](const auto& argument) {
    while (*format != '\0' && *format != '%') out << *format++;
    if (*format == '\0') return;
    out << argument;
    format += 2;
  };
  (put(args), ...);
  out << format;
  return out.str();
}

#define STANDIN_ERROR(name)                                                 \
  template <typename... Args>                                               \
  std::runtime_error name(const char* format, const Args&... args) {        \
    return std::runtime_error("(" #name ") " + Formatted(format, args...)); \
  }
STANDIN_ERROR(InvalidArgument)
STANDIN_ERROR(OutOfRange)
STANDIN_ERROR(Unimplemented)
STANDIN_ERROR(PreconditionNotMet)
STANDIN_ERROR(External)
#undef STANDIN_ERROR

}  // namespace common::errors

#define PADDLE_THROW(...) throw __VA_ARGS__

#define STANDIN_ENFORCE(condition, ...)  \
  do {                                   \
    if (!(condition)) throw __VA_ARGS__; \
  } while (0)
#define PADDLE_ENFORCE_EQ(a, b, ...) STANDIN_ENFORCE((a) == (b), __VA_ARGS__)
#define PADDLE_ENFORCE_NE(a, b, ...) STANDIN_ENFORCE((a) != (b), __VA_ARGS__)
#define PADDLE_ENFORCE_GE(a, b, ...) STANDIN_ENFORCE((a) >= (b), __VA_ARGS__)

// In kernels, as in Paddle: the text is a format, and the kernel ends.
#ifdef PADDLE_WITH_HIP
#define STANDIN_TRAP abort
#else
#define STANDIN_TRAP __trap
#endif
#define PADDLE_ENFORCE(condition, format, ...) \
  do {                                         \
    if (!(condition)) {                        \
      printf(format "\n", ##__VA_ARGS__);      \
      STANDIN_TRAP();                          \
    }                                          \
  } while (0)

#define PADDLE_ENFORCE_GPU_SUCCESS(call)                                    \
  do {                                                                      \
    const auto standin_status = (call);                                     \
    STANDIN_ENFORCE(                                                        \
        standin_status == ::phi::gpuSuccess,                                \
        ::common::errors::External(                                         \
            "%s: %s", #call, STANDIN_GPU(GetErrorString)(standin_status))); \
  } while (0)
