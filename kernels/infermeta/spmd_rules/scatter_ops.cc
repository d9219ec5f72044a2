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
#include <numeric>
#include <set>

#include "paddle/phi/core/distributed/auto_parallel/dist_attr.h"
#include "paddle/phi/infermeta/spmd_rules/utils.h"

namespace phi::distributed::scatter_ops {

namespace {

constexpr int64_t kWhole = -1;

// For each dim, the mesh dims that it is split along.
using Shards = std::vector<std::vector<int64_t>>;

int64_t RankOf(const DistMetaTensor& tensor) { return tensor.dims().size(); }

// A Tensor whose leading dims run along these; the others are whole.
Operand Along(const DistMetaTensor& tensor, std::vector<int64_t> dims) {
  dims.resize(RankOf(tensor), kWhole);
  return {&tensor, dims};
}

Operand Whole(const DistMetaTensor& tensor) { return Along(tensor, {}); }

// x, without the dims in `axes`. Negative ones count from the end; one out of
// range is left to InferMeta.
Operand Batch(const DistMetaTensor& x, const std::vector<int64_t>& axes) {
  const int64_t rank = RankOf(x);
  Operand found = Whole(x);
  std::iota(found.dims.begin(), found.dims.end(), 0);
  for (const int64_t axis : axes) {
    const int64_t dim = axis < 0 ? axis + rank : axis;
    if (dim >= 0 && dim < rank) found.dims[dim] = kWhole;
  }
  return found;
}

// A Tensor whose leading dims are those of x that are not whole.
Operand Slice(const DistMetaTensor& tensor, const Operand& x) {
  std::vector<int64_t> dims = x.dims;
  dims.erase(std::remove(dims.begin(), dims.end(), kWhole), dims.end());
  return Along(tensor, dims);
}

Call IntoView(const Operand& batch, const DistMetaTensor& values) {
  return {{batch, Slice(values, batch)}, batch.dims};
}

// As the sources are split: where they differ, the one named first wins. A mesh
// dim can split one dim of a Tensor only.
Shards Merged(const Call& call, const std::vector<Operand>& sources) {
  Shards merged(call.out.size());
  std::set<int64_t> taken;
  for (const Operand& source : sources) {
    const Shards& shards = source.tensor->dist_attr().multi_dims_mapping();
    for (size_t i = 0; i < shards.size(); ++i) {
      const int64_t dim = source.dims[i];
      if (dim == kWhole) continue;
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
  Shards shards;
  for (const int64_t dim : operand.dims) {
    shards.push_back(dim == kWhole ? Shards::value_type{} : merged[dim]);
  }
  TensorDistAttr attr =
      CopyTensorDistAttrForOutput(operand.tensor->dist_attr());
  attr.set_dims_mapping(shards);
  return attr;
}

// That of the gradient of an input: where it is broadcast along a dim that is
// split, each process has its share of the sum.
TensorDistAttr GradAttr(const Operand& input, Shards merged) {
  TensorDistAttr attr = Attr(input, merged);
  for (const int64_t dim : input.dims) {
    if (dim != kWhole) merged[dim].clear();
  }
  std::vector<int64_t> summed;
  for (const auto& mesh_dims : merged) {
    summed.insert(summed.end(), mesh_dims.begin(), mesh_dims.end());
  }
  attr.set_partial_status(summed);
  return attr;
}

std::vector<ArgDistAttr> Attrs(const std::vector<Operand>& operands,
                               const Shards& merged) {
  std::vector<ArgDistAttr> found;
  for (const Operand& operand : operands) {
    found.push_back(Attr(operand, merged));
  }
  return found;
}

}  // namespace

SpmdInfo Forward(const Call& call) {
  const Shards merged = Merged(call, call.inputs);
  const Operand out{call.inputs[0].tensor, call.out};
  return {Attrs(call.inputs, merged), {Attr(out, merged)}};
}

SpmdInfo Reverse(const Call& call, const DistMetaTensor& out) {
  const std::vector<Operand> outputs{{&out, call.out}};
  const Shards merged = Merged(call, outputs);
  return {Attrs(call.inputs, merged), Attrs(outputs, merged)};
}

SpmdInfo Gradient(const Call& call, const DistMetaTensor& out_grad) {
  const Operand grad{&out_grad, call.out};
  std::vector<Operand> sources{grad}, all = call.inputs;
  sources.insert(sources.end(), all.begin(), all.end());
  all.push_back(grad);
  const Shards merged = Merged(call, sources);
  return {Attrs(all, merged),
          {GradAttr(call.inputs.front(), merged),
           GradAttr(call.inputs.back(), merged)}};
}

Call ByMask(const DistMetaTensor& x,
            const DistMetaTensor& mask,
            const DistMetaTensor& value) {
  const int64_t rank = std::max(RankOf(x), RankOf(mask));
  Call call{{Whole(x), Whole(mask), Whole(value)}, {}};
  for (int64_t dim = 0; dim < rank; ++dim) {
    // A value of one element may have more dims.
    const auto own_dim = [=](const DistMetaTensor& tensor) {
      return dim - rank + RankOf(tensor);
    };
    const auto size_of = [&](const DistMetaTensor& tensor) {
      return own_dim(tensor) < 0 ? 1 : tensor.dims()[own_dim(tensor)];
    };
    const int64_t size = size_of(x) == 1 ? size_of(mask) : size_of(x);
    for (Operand& input : call.inputs) {
      const int64_t own = own_dim(*input.tensor);
      if (own >= 0 && size_of(*input.tensor) == size) input.dims[own] = dim;
    }
    call.out.push_back(dim);
  }
  return call;
}

Call ByWholeMask(const DistMetaTensor& x,
                 const DistMetaTensor& mask,
                 const DistMetaTensor& value) {
  // x and mask are broadcast to each other.
  const int64_t rank = std::max(RankOf(x), RankOf(mask));
  return {{Whole(x), Whole(mask), Whole(value)},
          std::vector<int64_t>(rank, kWhole)};
}

Call IntoSlice(const DistMetaTensor& x,
               const DistMetaTensor& values,
               int axis,
               int index) {
  return IntoView(Batch(x, {axis}), values);
}

Call IntoDiagonals(const DistMetaTensor& x,
                   const DistMetaTensor& y,
                   int offset,
                   int axis1,
                   int axis2) {
  return IntoView(Batch(x, {axis1, axis2}), y);
}

Call ByIndex(const DistMetaTensor& x,
             const DistMetaTensor& index,
             const DistMetaTensor& updates,
             int axis,
             const std::string& reduce,
             bool include_self) {
  const Operand batch = Batch(x, {axis});
  // A 0-D index updates one slice, which has no dim `axis`.
  const bool one = RankOf(updates) < RankOf(x);
  return {{batch,
           Whole(index),
           one ? Slice(updates, batch) : Along(updates, batch.dims)},
          batch.dims};
}

}  // namespace phi::distributed::scatter_ops
