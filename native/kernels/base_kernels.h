// Operators that Paddle has already, with this project's kernels on the CPU.

#pragma once

#include <string>
#include <vector>

#include "paddle/phi/core/kernel_factory.h"

namespace native_ops {

// Writes over Paddle's own kernels in its registry. Returns what is wrong with
// this Paddle, having changed nothing, if one of them takes other arguments.
std::string TakeOverBaseKernels();

// Why kernels with the arguments `ours` can't be called in the place of ones
// with the arguments `base`; empty if they can.
std::string Misfit(const phi::KernelArgsDef& base,
                   const phi::KernelArgsDef& ours);

// Operators with kernels taken over, and for each the dtypes whose kernel in
// Paddle's registry is this project's now.
struct TakenKernel {
  std::string name;
  std::vector<std::string> dtypes;
};
std::vector<TakenKernel> TakenKernels();

// Misfit() between the arguments of Paddle's operator `name` and those of our
// kernels for `as`.
std::string MisfitBetween(const std::string& name, const std::string& as);

}  // namespace native_ops
