#pragma once

// The harness defines those that kernels ask for.
#define COMMON_DECLARE_bool(name) extern bool FLAGS_##name
