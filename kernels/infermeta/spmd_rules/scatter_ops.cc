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

// A Tensor of a call: for each of its dims the dim of the result that it runs
// along, or kWhole.
struct Operand {
  const DistMetaTensor* tensor;
  std::vector<int64_t> dims;
};
using Operands = std::vector<Operand>;

// The first input is x, and the last one has a gradient too.
struct Call {
  Operands inputs;
  std::vector<int64_t> out;  // the dims of the result
};

int64_t RankOf(const DistMetaTensor& tensor) { return tensor.dims().size(); }

// x, without the dims in `axes`. Negative ones count from the end; one out of
// range is left to InferMeta.
Operand Batch(const DistMetaTensor& x, const std::vector<int64_t>& axes) {
  const int64_t rank = RankOf(x);
  Operand found{&x, {}};
  for (int64_t dim = 0; dim < rank; ++dim) {
    const bool whole = std::any_of(axes.begin(), axes.end(), [=](int64_t axis) {
      return (axis < 0 ? axis + rank : axis) == dim;
    });
    found.dims.push_back(whole ? kWhole : dim);
  }
  return found;
}

// A Tensor whose leading dims run along these; the others are whole.
Operand Along(const DistMetaTensor& tensor, std::vector<int64_t> dims) {
  dims.resize(RankOf(tensor), kWhole);
  return {&tensor, dims};
}

Operand Whole(const DistMetaTensor& tensor) { return Along(tensor, {}); }

// A Tensor whose leading dims are those of x that are not whole.
Operand Slice(const DistMetaTensor& tensor, const Operand& x) {
  std::vector<int64_t> dims = x.dims;
  dims.erase(std::remove(dims.begin(), dims.end(), kWhole), dims.end());
  return Along(tensor, dims);
}

// The size of a dim of the result, of Tensors that are broadcast to it from
// their last dims on.
int64_t SizeOf(const DistMetaTensor& tensor, int64_t dim, int64_t rank) {
  const int64_t own = dim - (rank - RankOf(tensor));
  return own < 0 ? 1 : tensor.dims()[own];
}

// A Tensor that is broadcast to a result of these sizes: it is whole where it
// has one element for many. A value of one element may have more dims.
Operand Broadcast(const DistMetaTensor& tensor,
                  const std::vector<int64_t>& sizes) {
  const int64_t rank = sizes.size();
  Operand found = Whole(tensor);
  for (int64_t dim = 0; dim < rank; ++dim) {
    const int64_t own = dim - (rank - RankOf(tensor));
    if (own >= 0 && tensor.dims()[own] == sizes[dim]) found.dims[own] = dim;
  }
  return found;
}

// As the sources are split: where they differ, the one named first wins. A mesh
// dim can split one dim of a Tensor only.
Shards Merged(const Operands& sources) {
  Shards merged;
  std::set<int64_t> taken;
  for (const Operand& source : sources) {
    const Shards& shards = source.tensor->dist_attr().multi_dims_mapping();
    for (size_t i = 0; i < shards.size(); ++i) {
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

TensorDistAttr Attr(const Operand& operand, const Shards& merged) {
  Shards shards(operand.dims.size());
  for (size_t i = 0; i < shards.size(); ++i) {
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

// That of the gradient of an input: where it is broadcast along a dim that is
// split, each process has its share of the sum.
TensorDistAttr GradAttr(const Operand& input, const Shards& merged) {
  TensorDistAttr attr = Attr(input, merged);
  std::vector<int64_t> summed;
  const int64_t rank = merged.size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    const auto& dims = input.dims;
    if (std::find(dims.begin(), dims.end(), dim) != dims.end()) continue;
    summed.insert(summed.end(), merged[dim].begin(), merged[dim].end());
  }
  attr.set_partial_status(summed);
  return attr;
}

std::vector<ArgDistAttr> Attrs(const Operands& operands, const Shards& merged) {
  std::vector<ArgDistAttr> found;
  for (const Operand& operand : operands) {
    found.push_back(Attr(operand, merged));
  }
  return found;
}

// The rules: nothing comes in as a partial sum.
SpmdInfo Forward(const Call& call) {
  const Shards merged = Merged(call.inputs);
  const Operand out{call.inputs[0].tensor, call.out};
  return {Attrs(call.inputs, merged), {Attr(out, merged)}};
}

SpmdInfo Reverse(const Call& call, const DistMetaTensor& out) {
  const Operands outputs{{&out, call.out}};
  const Shards merged = Merged(outputs);
  return {Attrs(call.inputs, merged), Attrs(outputs, merged)};
}

SpmdInfo Gradient(const Call& call, const DistMetaTensor& out_grad) {
  const Operand grad{&out_grad, call.out};
  Operands sources{grad}, all = call.inputs;
  sources.insert(sources.end(), all.begin(), all.end());
  all.push_back(grad);
  const Shards merged = Merged(sources);
  return {Attrs(all, merged),
          {GradAttr(call.inputs.front(), merged),
           GradAttr(call.inputs.back(), merged)}};
}

Call OfMaskedFill(const DistMetaTensor& x,
                  const DistMetaTensor& mask,
                  const DistMetaTensor& value) {
  const int64_t rank = std::max(RankOf(x), RankOf(mask));
  std::vector<int64_t> sizes, out;
  for (int64_t dim = 0; dim < rank; ++dim) {
    const int64_t size = SizeOf(x, dim, rank);
    sizes.push_back(size == 1 ? SizeOf(mask, dim, rank) : size);
    out.push_back(dim);
  }
  return {
      {Broadcast(x, sizes), Broadcast(mask, sizes), Broadcast(value, sizes)},
      out};
}

Call OfMaskedScatter(const DistMetaTensor& x,
                     const DistMetaTensor& mask,
                     const DistMetaTensor& value) {
  // x and mask are broadcast to each other.
  const int64_t rank = std::max(RankOf(x), RankOf(mask));
  return {{Whole(x), Whole(mask), Whole(value)},
          std::vector<int64_t>(rank, kWhole)};
}

Call OfView(const DistMetaTensor& x,
            const DistMetaTensor& values,
            const std::vector<int64_t>& axes) {
  const Operand batch = Batch(x, axes);
  return {{batch, Slice(values, batch)}, batch.dims};
}

Call OfIndex(const DistMetaTensor& x,
             const DistMetaTensor& index,
             const DistMetaTensor& updates,
             int axis) {
  const Operand batch = Batch(x, {axis});
  // A 0-D index updates one slice, which has no dim `axis`.
  const bool one = RankOf(updates) < RankOf(x);
  return {{batch,
           Whole(index),
           one ? Slice(updates, batch) : Along(updates, batch.dims)},
          batch.dims};
}

}  // namespace

SpmdInfo MaskedFillInferSpmd(const DistMetaTensor& x,
                             const DistMetaTensor& mask,
                             const DistMetaTensor& value) {
  return Forward(OfMaskedFill(x, mask, value));
}

SpmdInfo MaskedFillInferSpmdReverse(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out) {
  return Reverse(OfMaskedFill(x, mask, value), out);
}

SpmdInfo MaskedFillGradInferSpmd(const DistMetaTensor& x,
                                 const DistMetaTensor& mask,
                                 const DistMetaTensor& value,
                                 const DistMetaTensor& out_grad) {
  return Gradient(OfMaskedFill(x, mask, value), out_grad);
}

SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& mask,
                                const DistMetaTensor& value) {
  return Forward(OfMaskedScatter(x, mask, value));
}

SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value,
                                       const DistMetaTensor& out) {
  return Reverse(OfMaskedScatter(x, mask, value), out);
}

SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out_grad) {
  return Gradient(OfMaskedScatter(x, mask, value), out_grad);
}

SpmdInfo SelectScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& values,
                                int axis,
                                int64_t index) {
  return Forward(OfView(x, values, {axis}));
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
  return Forward(OfView(x, y, {axis1, axis2}));
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
  return Forward(OfIndex(x, index, updates, axis));
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
