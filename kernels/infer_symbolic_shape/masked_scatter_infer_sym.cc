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

#include "paddle/fluid/pir/dialect/operator/interface/infer_symbolic_shape/multiary_infer_sym.h"

#include <algorithm>
#include <vector>

namespace paddle::dialect {
namespace {

using SymbolicDims = std::vector<symbol::DimExpr>;

// The dim `back` places before the end; missing ones in front count as 1.
symbol::DimExpr FromEnd(const SymbolicDims& dims, size_t back) {
  return back <= dims.size() ? dims[dims.size() - back] : symbol::DimExpr{1};
}

// Two symbols may turn out to be equal or 1: only that is left for the context
// to remember.
symbol::DimExpr BroadcastDim(const symbol::DimExpr& x,
                             const symbol::DimExpr& mask,
                             pir::InferSymbolicShapeContext* infer_context) {
  const symbol::DimExpr one{1};
  if (x == mask || mask == one) return x;
  if (x == one) return mask;
  infer_context->AddBroadcastableCstr(x, mask);
  return symbol::DimExprBuilder().Broadcast(x, mask);
}

SymbolicDims BroadcastDims(const SymbolicDims& x,
                           const SymbolicDims& mask,
                           pir::InferSymbolicShapeContext* infer_context) {
  const size_t rank = std::max(x.size(), mask.size());
  SymbolicDims out(rank);
  for (size_t back = 1; back <= rank; ++back) {
    out[rank - back] =
        BroadcastDim(FromEnd(x, back), FromEnd(mask, back), infer_context);
  }
  return out;
}

}  // namespace

// value is free: how many of its elements are taken depends on the values of
// mask.
bool MaskedScatterOpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  // Copies: a constraint may rewrite the dims that the context holds.
  const auto dims_of = [&](int operand) -> SymbolicDims {
    return infer_context->GetShapeOrDataForValue(op->operand_source(operand))
        .shape();
  };
  infer_context->SetShapeOrDataForValue(
      op->result(0),
      symbol::ShapeOrDataDimExprs{symbol::TensorShapeOrDataDimExprs(
          BroadcastDims(dims_of(0), dims_of(1), infer_context))});
  return true;
}

bool MaskedScatter_OpInferSymbolicShape(
    pir::Operation* op, pir::InferSymbolicShapeContext* infer_context) {
  return MaskedScatterOpInferSymbolicShape(op, infer_context);
}

}  // namespace paddle::dialect
