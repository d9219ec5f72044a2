// Errors of the kernels, as exceptions with the texts that the kernels give.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

#include "paddle/phi/backends/gpu/gpu_types.h"
#include "paddle/phi/core/ddim.h"

namespace common {
namespace errors {

struct Error {
  const char* type;
  std::string text;
};

inline void Format(std::ostringstream* out, const char* format) {
  *out << format;
}

// Each directive of `format` takes the next argument as a stream shows it.
template <typename First, typename... Rest>
void Format(std::ostringstream* out,
            const char* format,
            const First& first,
            const Rest&... rest) {
  while (*format != '\0' && *format != '%') *out << *format++;
  if (*format == '\0') return;
  *out << first;
  Format(out, format + 2, rest...);
}

#define STANDIN_ERROR(name)                             \
  template <typename... Args>                           \
  Error name(const char* format, const Args&... args) { \
    std::ostringstream out;                             \
    Format(&out, format, args...);                      \
    return {#name, out.str()};                          \
  }
STANDIN_ERROR(InvalidArgument)
STANDIN_ERROR(OutOfRange)
STANDIN_ERROR(Unimplemented)
STANDIN_ERROR(PreconditionNotMet)
STANDIN_ERROR(External)
#undef STANDIN_ERROR

[[noreturn]] inline void Throw(const Error& error) {
  throw std::runtime_error(std::string("(") + error.type + ") " + error.text);
}

}  // namespace errors
}  // namespace common

#define PADDLE_THROW(...) ::common::errors::Throw(__VA_ARGS__)

#define STANDIN_ENFORCE(condition, ...)                     \
  do {                                                      \
    if (!(condition)) ::common::errors::Throw(__VA_ARGS__); \
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

#define PADDLE_ENFORCE_GPU_SUCCESS(call)                                  \
  do {                                                                    \
    const auto standin_status = (call);                                   \
    if (standin_status != ::phi::gpuSuccess) {                            \
      ::common::errors::Throw(::common::errors::External(                 \
          "%s: %s", #call, STANDIN_GPU(GetErrorString)(standin_status))); \
    }                                                                     \
  } while (0)
