#pragma once

// The harness defines those that kernels ask for.
#define COMMON_DECLARE_bool(name) extern bool FLAGS_##name

// Read on the host alone, where no test of the harness changes it.
#define PHI_DECLARE_bool(name)     \
  namespace paddle_flags {         \
  inline bool FLAGS_##name = true; \
  }                                \
  using paddle_flags::FLAGS_##name
