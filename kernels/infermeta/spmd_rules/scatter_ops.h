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

// Any dim but `axes` may be sharded: each process writes its part of the view.
// values have those dims first; the length of a diagonal is whole as its axes.
Call IntoView(const DistMetaTensor& x,
              const DistMetaTensor& values,
              const std::vector<int64_t>& axes);

// Any dim but `axis` may be sharded; every process needs the whole index, whose
// numbers count along the whole of `axis`.
Call ByIndex(const DistMetaTensor& x,
             const DistMetaTensor& index,
             const DistMetaTensor& updates,
             int axis);

}  // namespace scatter_ops

inline SpmdInfo MaskedFillInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value) {
  return scatter_ops::Forward(scatter_ops::ByMask(x, mask, value));
}

inline SpmdInfo MaskedFillInferSpmdReverse(const DistMetaTensor& x,
                                           const DistMetaTensor& mask,
                                           const DistMetaTensor& value,
                                           const DistMetaTensor& out) {
  return scatter_ops::Reverse(scatter_ops::ByMask(x, mask, value), out);
}

inline SpmdInfo MaskedFillGradInferSpmd(const DistMetaTensor& x,
                                        const DistMetaTensor& mask,
                                        const DistMetaTensor& value,
                                        const DistMetaTensor& out_grad) {
  return scatter_ops::Gradient(scatter_ops::ByMask(x, mask, value), out_grad);
}

inline SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value) {
  return scatter_ops::Forward(scatter_ops::ByWholeMask(x, mask, value));
}

inline SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                              const DistMetaTensor& mask,
                                              const DistMetaTensor& value,
                                              const DistMetaTensor& out) {
  return scatter_ops::Reverse(scatter_ops::ByWholeMask(x, mask, value), out);
}

inline SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                           const DistMetaTensor& mask,
                                           const DistMetaTensor& value,
                                           const DistMetaTensor& out_grad) {
  return scatter_ops::Gradient(scatter_ops::ByWholeMask(x, mask, value),
                               out_grad);
}

// Whole numbers are an int, as Python hands them over; `index` and `offset`
// make no difference.
inline SpmdInfo SelectScatterInferSpmd(const DistMetaTensor& x,
                                       const DistMetaTensor& values,
                                       int axis,
                                       int index) {
  return scatter_ops::Forward(scatter_ops::IntoView(x, values, {axis}));
}

inline SpmdInfo SelectScatterInferSpmdReverse(const DistMetaTensor& x,
                                              const DistMetaTensor& values,
                                              const DistMetaTensor& out,
                                              int axis,
                                              int index) {
  return scatter_ops::Reverse(scatter_ops::IntoView(x, values, {axis}), out);
}

inline SpmdInfo SelectScatterGradInferSpmd(const DistMetaTensor& x,
                                           const DistMetaTensor& values,
                                           const DistMetaTensor& out_grad,
                                           int axis,
                                           int index) {
  return scatter_ops::Gradient(scatter_ops::IntoView(x, values, {axis}),
                               out_grad);
}

inline SpmdInfo DiagonalScatterInferSpmd(const DistMetaTensor& x,
                                         const DistMetaTensor& y,
                                         int offset,
                                         int axis1,
                                         int axis2) {
  return scatter_ops::Forward(scatter_ops::IntoView(x, y, {axis1, axis2}));
}

inline SpmdInfo DiagonalScatterInferSpmdReverse(const DistMetaTensor& x,
                                                const DistMetaTensor& y,
                                                const DistMetaTensor& out,
                                                int offset,
                                                int axis1,
                                                int axis2) {
  return scatter_ops::Reverse(scatter_ops::IntoView(x, y, {axis1, axis2}), out);
}

inline SpmdInfo DiagonalScatterGradInferSpmd(const DistMetaTensor& x,
                                             const DistMetaTensor& y,
                                             const DistMetaTensor& out_grad,
                                             int offset,
                                             int axis1,
                                             int axis2) {
  return scatter_ops::Gradient(scatter_ops::IntoView(x, y, {axis1, axis2}),
                               out_grad);
}

// Of index_reduce too.
inline SpmdInfo IndexScatterInferSpmd(const DistMetaTensor& x,
                                      const DistMetaTensor& index,
                                      const DistMetaTensor& updates,
                                      int axis,
                                      const std::string& reduce,
                                      bool include_self) {
  return scatter_ops::Forward(scatter_ops::ByIndex(x, index, updates, axis));
}

inline SpmdInfo IndexScatterInferSpmdReverse(const DistMetaTensor& x,
                                             const DistMetaTensor& index,
                                             const DistMetaTensor& updates,
                                             const DistMetaTensor& out,
                                             int axis,
                                             const std::string& reduce,
                                             bool include_self) {
  return scatter_ops::Reverse(scatter_ops::ByIndex(x, index, updates, axis),
                              out);
}

inline SpmdInfo IndexScatterGradInferSpmd(const DistMetaTensor& x,
                                          const DistMetaTensor& index,
                                          const DistMetaTensor& updates,
                                          const DistMetaTensor& out_grad,
                                          int axis,
                                          const std::string& reduce,
                                          bool include_self) {
  return scatter_ops::Gradient(scatter_ops::ByIndex(x, index, updates, axis),
                               out_grad);
}

}  // namespace phi::distributed
