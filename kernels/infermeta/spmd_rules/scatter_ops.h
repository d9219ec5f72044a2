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
#include <tuple>
#include <vector>

#include "paddle/phi/core/distributed/auto_parallel/dist_meta_tensor.h"
#include "paddle/phi/core/distributed/type_defs.h"

namespace phi::distributed {

namespace scatter_ops {

// A Tensor of a call: for each of its dims the dim of the result that it runs
// along, or -1 where every process needs the whole of it.
struct Operand {
  const DistMetaTensor* tensor;
  std::vector<int64_t> dims;
};

// The first input is x, and the last one has a gradient too.
struct Call {
  std::vector<Operand> inputs;
  std::vector<int64_t> out;  // the dims of the result
};

// The rules that follow from a call. Nothing comes in as a partial sum.
SpmdInfo Forward(const Call& call);
SpmdInfo Reverse(const Call& call, const DistMetaTensor& out);
SpmdInfo Gradient(const Call& call, const DistMetaTensor& out_grad);

// Any dim of the result may be sharded. A Tensor that has one element there is
// whole along it, and its gradient a partial sum.
Call ByMask(const DistMetaTensor& x,
            const DistMetaTensor& mask,
            const DistMetaTensor& value);

// Every Tensor has to be whole. Which element of value a True takes depends on
// the number of Trues before it in the whole mask, so that the operator on the
// parts of x and mask, along whatever dim they were cut, would write other
// elements. It makes no difference that the mask is broadcast along that dim.
Call ByWholeMask(const DistMetaTensor& x,
                 const DistMetaTensor& mask,
                 const DistMetaTensor& value);

// Any dim but `axis`, or the two axes, may be sharded: each process writes its
// part of the view. The values have those dims first; the length of a diagonal
// is whole as its axes. Whole numbers are an int, as Python hands them over;
// those that say which view it is make no difference.
Call IntoSlice(const DistMetaTensor& x,
               const DistMetaTensor& values,
               int axis,
               int index);
Call IntoDiagonals(const DistMetaTensor& x,
                   const DistMetaTensor& y,
                   int offset,
                   int axis1,
                   int axis2);

// Any dim but `axis` may be sharded; every process needs the whole index, whose
// numbers count along the whole of `axis`. How it reduces makes no difference.
Call ByIndex(const DistMetaTensor& x,
             const DistMetaTensor& index,
             const DistMetaTensor& updates,
             int axis,
             const std::string& reduce,
             bool include_self);

// The rules of an operator as functions of its arguments: the inputs, a result
// or its gradient, the attributes.
template <auto kCall, typename Inputs, typename... Attributes>
struct Rules;

template <auto kCall, typename... Inputs, typename... Attributes>
struct Rules<kCall, std::tuple<Inputs...>, Attributes...> {
  static SpmdInfo Infer(Inputs... inputs, Attributes... attributes) {
    return Forward(kCall(inputs..., attributes...));
  }

  static SpmdInfo InferReverse(Inputs... inputs,
                               const DistMetaTensor& out,
                               Attributes... attributes) {
    return Reverse(kCall(inputs..., attributes...), out);
  }

  static SpmdInfo InferGrad(Inputs... inputs,
                            const DistMetaTensor& out_grad,
                            Attributes... attributes) {
    return Gradient(kCall(inputs..., attributes...), out_grad);
  }
};

using Two = std::tuple<const DistMetaTensor&, const DistMetaTensor&>;
using Three = std::
    tuple<const DistMetaTensor&, const DistMetaTensor&, const DistMetaTensor&>;

using MaskedFill = Rules<ByMask, Three>;
using MaskedScatter = Rules<ByWholeMask, Three>;
using SelectScatter = Rules<IntoSlice, Two, int, int>;
using DiagonalScatter = Rules<IntoDiagonals, Two, int, int, int>;
using IndexScatter = Rules<ByIndex, Three, int, const std::string&, bool>;

}  // namespace scatter_ops

inline constexpr auto& MaskedFillInferSpmd = scatter_ops::MaskedFill::Infer;
inline constexpr auto& MaskedFillInferSpmdReverse =
    scatter_ops::MaskedFill::InferReverse;
inline constexpr auto& MaskedFillGradInferSpmd =
    scatter_ops::MaskedFill::InferGrad;

inline constexpr auto& MaskedScatterInferSpmd =
    scatter_ops::MaskedScatter::Infer;
inline constexpr auto& MaskedScatterInferSpmdReverse =
    scatter_ops::MaskedScatter::InferReverse;
inline constexpr auto& MaskedScatterGradInferSpmd =
    scatter_ops::MaskedScatter::InferGrad;

inline constexpr auto& SelectScatterInferSpmd =
    scatter_ops::SelectScatter::Infer;
inline constexpr auto& SelectScatterInferSpmdReverse =
    scatter_ops::SelectScatter::InferReverse;
inline constexpr auto& SelectScatterGradInferSpmd =
    scatter_ops::SelectScatter::InferGrad;

inline constexpr auto& DiagonalScatterInferSpmd =
    scatter_ops::DiagonalScatter::Infer;
inline constexpr auto& DiagonalScatterInferSpmdReverse =
    scatter_ops::DiagonalScatter::InferReverse;
inline constexpr auto& DiagonalScatterGradInferSpmd =
    scatter_ops::DiagonalScatter::InferGrad;

// Of index_reduce too.
inline constexpr auto& IndexScatterInferSpmd = scatter_ops::IndexScatter::Infer;
inline constexpr auto& IndexScatterInferSpmdReverse =
    scatter_ops::IndexScatter::InferReverse;
inline constexpr auto& IndexScatterGradInferSpmd =
    scatter_ops::IndexScatter::InferGrad;

}  // namespace phi::distributed
