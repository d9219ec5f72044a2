// Included before everything else by the compile check for ROCm: the half
// types of the emulation, made callable on a device.

#pragma once

#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstring>

#pragma clang force_cuda_host_device begin
#include "gpu_tests/emulator/cuda_bf16.h"
#include "gpu_tests/emulator/cuda_fp16.h"
#pragma clang force_cuda_host_device end
