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
#include <string>
#include <type_traits>

#include "paddle/phi/core/distributed/auto_parallel/dist_meta_tensor.h"
#include "paddle/phi/core/distributed/type_defs.h"

namespace phi::distributed {

// Of masked_fill: any dim of the result may be sharded. A Tensor that has one
// element there is whole along it, and its gradient a partial sum.
SpmdInfo MaskedFillInferSpmd(const DistMetaTensor& x,
                             const DistMetaTensor& mask,
                             const DistMetaTensor& value);

SpmdInfo MaskedFillInferSpmdReverse(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out);

SpmdInfo MaskedFillGradInferSpmd(const DistMetaTensor& x,
                                 const DistMetaTensor& mask,
                                 const DistMetaTensor& value,
                                 const DistMetaTensor& out_grad);

// Every Tensor has to be whole. Which element of value a True takes depends on
// the number of Trues before it in the whole mask, so that the operator on the
// parts of x and mask, along whatever dim they were cut, would write other
// elements. It makes no difference that the mask is broadcast along that dim.
SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& mask,
                                const DistMetaTensor& value);

SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value,
                                       const DistMetaTensor& out);

SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out_grad);

// Any dim but `axis` may be sharded: each process writes its part of the slice.
// `index` makes no difference.
SpmdInfo SelectScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& values,
                                int axis,
                                int64_t index);

SpmdInfo SelectScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& values,
                                       const DistMetaTensor& out,
                                       int axis,
                                       int64_t index);

SpmdInfo SelectScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& values,
                                    const DistMetaTensor& out_grad,
                                    int axis,
                                    int64_t index);

// Any dim but `axis1` and `axis2` may be sharded. The last one of y runs along
// the diagonal, so it has to be whole as they have. `offset` makes no
// difference.
SpmdInfo DiagonalScatterInferSpmd(const DistMetaTensor& x,
                                  const DistMetaTensor& y,
                                  int64_t offset,
                                  int axis1,
                                  int axis2);

SpmdInfo DiagonalScatterInferSpmdReverse(const DistMetaTensor& x,
                                         const DistMetaTensor& y,
                                         const DistMetaTensor& out,
                                         int64_t offset,
                                         int axis1,
                                         int axis2);

SpmdInfo DiagonalScatterGradInferSpmd(const DistMetaTensor& x,
                                      const DistMetaTensor& y,
                                      const DistMetaTensor& out_grad,
                                      int64_t offset,
                                      int axis1,
                                      int axis2);

// Any dim but `axis` may be sharded; every process needs the whole index, whose
// numbers count along the whole of `axis`. The rule of index_reduce too.
SpmdInfo IndexScatterInferSpmd(const DistMetaTensor& x,
                               const DistMetaTensor& index,
                               const DistMetaTensor& updates,
                               int axis,
                               const std::string& reduce,
                               bool include_self);

SpmdInfo IndexScatterInferSpmdReverse(const DistMetaTensor& x,
                                      const DistMetaTensor& index,
                                      const DistMetaTensor& updates,
                                      const DistMetaTensor& out,
                                      int axis,
                                      const std::string& reduce,
                                      bool include_self);

SpmdInfo IndexScatterGradInferSpmd(const DistMetaTensor& x,
                                   const DistMetaTensor& index,
                                   const DistMetaTensor& updates,
                                   const DistMetaTensor& out_grad,
                                   int axis,
                                   const std::string& reduce,
                                   bool include_self);

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

}  // namespace phi::distributed
