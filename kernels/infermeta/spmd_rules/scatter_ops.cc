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

#include "paddle/phi/infermeta/spmd_rules/scatter_ops.h"

#include <algorithm>
#include <set>
#include <vector>

#include "paddle/phi/core/distributed/auto_parallel/dist_attr.h"
#include "paddle/phi/infermeta/spmd_rules/utils.h"

namespace phi::distributed {

namespace {

// A dim that no process may have a part of only.
constexpr int64_t kWhole = -1;

// For each dim, the mesh dims that it is split along.
using Shards = std::vector<std::vector<int64_t>>;

// A Tensor of an operator that treats some dims as a batch: for each of its
// dims the dim of the result that it runs along, or kWhole. Those that are not
// listed are whole.
struct Operand {
  const DistMetaTensor* tensor;
  std::vector<int64_t> dims;
};
using Operands = std::vector<Operand>;

// x, without the dims in `axes`. Negative ones count from the end; one out of
// range is left to InferMeta.
Operand Batch(const DistMetaTensor& x, const std::vector<int64_t>& axes) {
  const int64_t rank = x.dims().size();
  Operand found{&x, {}};
  for (int64_t dim = 0; dim < rank; ++dim) {
    const bool whole = std::any_of(axes.begin(), axes.end(), [=](int64_t axis) {
      return (axis < 0 ? axis + rank : axis) == dim;
    });
    found.dims.push_back(whole ? kWhole : dim);
  }
  return found;
}

// A Tensor whose leading dims are those of x that are not whole.
Operand Slice(const DistMetaTensor& tensor, const Operand& x) {
  Operand found{&tensor, x.dims};
  auto& dims = found.dims;
  dims.erase(std::remove(dims.begin(), dims.end(), kWhole), dims.end());
  return found;
}

// As the sources are split: where they differ, the one named first wins. A mesh
// dim can split one dim of a Tensor only.
Shards Merged(const Operands& sources) {
  Shards merged;
  std::set<int64_t> taken;
  for (const Operand& source : sources) {
    const Shards& shards = source.tensor->dist_attr().multi_dims_mapping();
    for (size_t i = 0; i < shards.size() && i < source.dims.size(); ++i) {
      const int64_t dim = source.dims[i];
      if (dim == kWhole || shards[i].empty()) continue;
      if (dim >= static_cast<int64_t>(merged.size())) merged.resize(dim + 1);
      const bool free = merged[dim].empty() &&
                        std::none_of(shards[i].begin(),
                                     shards[i].end(),
                                     [&](int64_t m) { return taken.count(m); });
      if (!free) continue;
      merged[dim] = shards[i];
      taken.insert(shards[i].begin(), shards[i].end());
    }
  }
  return merged;
}

ArgDistAttr Attr(const Operand& operand, const Shards& merged, size_t rank) {
  Shards shards(rank);
  for (size_t i = 0; i < rank && i < operand.dims.size(); ++i) {
    const int64_t dim = operand.dims[i];
    if (dim != kWhole && dim < static_cast<int64_t>(merged.size())) {
      shards[i] = merged[dim];
    }
  }
  TensorDistAttr attr =
      CopyTensorDistAttrForOutput(operand.tensor->dist_attr());
  attr.set_dims_mapping(shards);
  return attr;
}

std::vector<ArgDistAttr> Attrs(const Operands& operands, const Shards& merged) {
  std::vector<ArgDistAttr> found;
  for (const Operand& operand : operands) {
    found.push_back(Attr(operand, merged, operand.tensor->dims().size()));
  }
  return found;
}

// The rules of an operator of which the first input is x, and the last one has
// a gradient too. Nothing comes in or goes out as a partial sum. `rank`: that
// of the result.
SpmdInfo Forward(const Operands& inputs, size_t rank) {
  const Shards merged = Merged(inputs);
  return {Attrs(inputs, merged), {Attr(inputs[0], merged, rank)}};
}

SpmdInfo Reverse(const Operands& inputs, const DistMetaTensor& out) {
  const Operands outputs{{&out, inputs[0].dims}};
  const Shards merged = Merged(outputs);
  return {Attrs(inputs, merged), Attrs(outputs, merged)};
}

SpmdInfo Gradient(const Operands& inputs, const DistMetaTensor& out_grad) {
  const Operand grad{&out_grad, inputs[0].dims};
  Operands sources{grad}, all = inputs;
  sources.insert(sources.end(), inputs.begin(), inputs.end());
  all.push_back(grad);
  const Shards merged = Merged(sources);
  return {Attrs(all, merged), Attrs({inputs.front(), inputs.back()}, merged)};
}

Operands OfMasked(const DistMetaTensor& x,
                  const DistMetaTensor& mask,
                  const DistMetaTensor& value) {
  return {{&x, {}}, {&mask, {}}, {&value, {}}};
}

Operands OfView(const DistMetaTensor& x,
                const DistMetaTensor& values,
                const std::vector<int64_t>& axes) {
  const Operand whole = Batch(x, axes);
  return {whole, Slice(values, whole)};
}

Operands OfIndex(const DistMetaTensor& x,
                 const DistMetaTensor& index,
                 const DistMetaTensor& updates,
                 int axis) {
  const Operand whole = Batch(x, {axis});
  // A 0-D index updates one slice, which has no dim `axis`.
  const bool one = updates.dims().size() < x.dims().size();
  return {whole,
          {&index, {}},
          one ? Slice(updates, whole) : Operand{&updates, whole.dims}};
}

}  // namespace

SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& mask,
                                const DistMetaTensor& value) {
  // x and mask are broadcast to each other.
  return Forward(OfMasked(x, mask, value),
                 std::max(x.dims().size(), mask.dims().size()));
}

SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value,
                                       const DistMetaTensor& out) {
  return Reverse(OfMasked(x, mask, value), out);
}

SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out_grad) {
  return Gradient(OfMasked(x, mask, value), out_grad);
}

SpmdInfo SelectScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& values,
                                int axis,
                                int64_t index) {
  return Forward(OfView(x, values, {axis}), x.dims().size());
}

SpmdInfo SelectScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& values,
                                       const DistMetaTensor& out,
                                       int axis,
                                       int64_t index) {
  return Reverse(OfView(x, values, {axis}), out);
}

SpmdInfo SelectScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& values,
                                    const DistMetaTensor& out_grad,
                                    int axis,
                                    int64_t index) {
  return Gradient(OfView(x, values, {axis}), out_grad);
}

SpmdInfo DiagonalScatterInferSpmd(const DistMetaTensor& x,
                                  const DistMetaTensor& y,
                                  int64_t offset,
                                  int axis1,
                                  int axis2) {
  return Forward(OfView(x, y, {axis1, axis2}), x.dims().size());
}

SpmdInfo DiagonalScatterInferSpmdReverse(const DistMetaTensor& x,
                                         const DistMetaTensor& y,
                                         const DistMetaTensor& out,
                                         int64_t offset,
                                         int axis1,
                                         int axis2) {
  return Reverse(OfView(x, y, {axis1, axis2}), out);
}

SpmdInfo DiagonalScatterGradInferSpmd(const DistMetaTensor& x,
                                      const DistMetaTensor& y,
                                      const DistMetaTensor& out_grad,
                                      int64_t offset,
                                      int axis1,
                                      int axis2) {
  return Gradient(OfView(x, y, {axis1, axis2}), out_grad);
}

SpmdInfo IndexScatterInferSpmd(const DistMetaTensor& x,
                               const DistMetaTensor& index,
                               const DistMetaTensor& updates,
                               int axis,
                               const std::string& reduce,
                               bool include_self) {
  return Forward(OfIndex(x, index, updates, axis), x.dims().size());
}

SpmdInfo IndexScatterInferSpmdReverse(const DistMetaTensor& x,
                                      const DistMetaTensor& index,
                                      const DistMetaTensor& updates,
                                      const DistMetaTensor& out,
                                      int axis,
                                      const std::string& reduce,
                                      bool include_self) {
  return Reverse(OfIndex(x, index, updates, axis), out);
}

SpmdInfo IndexScatterGradInferSpmd(const DistMetaTensor& x,
                                   const DistMetaTensor& index,
                                   const DistMetaTensor& updates,
                                   const DistMetaTensor& out_grad,
                                   int axis,
                                   const std::string& reduce,
                                   bool include_self) {
  return Gradient(OfIndex(x, index, updates, axis), out_grad);
}

}  // namespace phi::distributed
