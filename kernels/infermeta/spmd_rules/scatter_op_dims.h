// Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
//     http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "paddle/phi/core/distributed/auto_parallel/dist_meta_tensor.h"
#include "paddle/phi/core/distributed/type_defs.h"

namespace phi {
namespace distributed {

// A dim that no process may have a part of only.
constexpr int64_t kWholeDim = -1;

// A Tensor of an operator that treats some dims as a batch: for each of its
// dims the dim of x that it runs along, or kWholeDim.
struct BatchedOperand {
  const DistMetaTensor& tensor;
  std::vector<int64_t> dims;
};

// The dims of a Tensor of the rank of x, without those in `whole`. Negative
// ones count from the end; one out of range is left to InferMeta.
std::vector<int64_t> BatchDims(const DistMetaTensor& x,
                               const std::vector<int64_t>& whole);

// Those of a Tensor that x without the dims `whole` has the leading dims of;
// what follows them is whole.
std::vector<int64_t> BatchDimsWithout(const DistMetaTensor& tensor,
                                      const DistMetaTensor& x,
                                      const std::vector<int64_t>& whole);

// Shards every operand alike, as the sources are: where they differ, the one
// named first wins. Nothing comes in or goes out as a partial sum.
SpmdInfo ShardBatchDims(const std::vector<BatchedOperand>& sources,
                        const std::vector<BatchedOperand>& inputs,
                        const std::vector<BatchedOperand>& outputs);

// A rule as Python asks it, which hands every whole number over as an int;
// PD_INFER_SPMD takes none for an int64_t.
template <auto kRule>
struct RuleOfInts;

template <typename... Args, SpmdInfo (*kRule)(Args...)>
struct RuleOfInts<kRule> {
  template <typename Arg>
  using Given = typename std::
      conditional<std::is_same<Arg, int64_t>::value, int, Arg>::type;

  static SpmdInfo Infer(Given<Args>... args) { return kRule(args...); }
};

}  // namespace distributed
}  // namespace phi
