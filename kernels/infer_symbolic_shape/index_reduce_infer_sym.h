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

// The rule that index_scatter and index_reduce share.

#pragma once

#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/scatter_ops_infer_sym.h"

namespace paddle::dialect::scatter_ops {

// updates are like x but for `axis`, which a 0-D index leaves out. There they
// may be longer than the index, so that their length stays free.
inline bool InferIndexReduce(pir::Operation* op,
                             pir::InferSymbolicShapeContext* infer_context) {
  const int axis = IntAttribute(op, "axis");
  const bool one = DimsOf(op, 1, *infer_context).empty();
  const SymbolicDims updates = DimsOf(op, 2, *infer_context);
  infer_context->AddEqualCstr(Without(DimsOf(op, 0, *infer_context), {axis}),
                              one ? updates : Without(updates, {axis}));
  return SetOutLikeX(op, infer_context);
}

}  // namespace paddle::dialect::scatter_ops
