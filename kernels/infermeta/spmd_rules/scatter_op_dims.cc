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

#include "paddle/phi/infermeta/spmd_rules/scatter_op_dims.h"

#include <algorithm>
#include <set>

#include "paddle/phi/core/distributed/auto_parallel/dist_attr.h"
#include "paddle/phi/infermeta/spmd_rules/utils.h"

namespace phi {
namespace distributed {

namespace {

// For each dim, the mesh dims that it is split along.
using Shards = std::vector<std::vector<int64_t>>;

bool Holds(const std::vector<int64_t>& dims, int64_t dim, int64_t rank) {
  return std::any_of(dims.begin(), dims.end(), [&](int64_t other) {
    return (other < 0 ? other + rank : other) == dim;
  });
}

// A mesh dim can split one dim of a Tensor only.
Shards MergedShards(const std::vector<BatchedOperand>& sources) {
  Shards merged;
  std::set<int64_t> taken;
  for (const BatchedOperand& source : sources) {
    const Shards& shards = source.tensor.dist_attr().multi_dims_mapping();
    for (size_t i = 0; i < shards.size() && i < source.dims.size(); ++i) {
      const int64_t dim = source.dims[i];
      if (dim == kWholeDim || shards[i].empty()) continue;
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

std::vector<ArgDistAttr> Attrs(const std::vector<BatchedOperand>& operands,
                               const Shards& merged) {
  std::vector<ArgDistAttr> found;
  for (const BatchedOperand& operand : operands) {
    Shards shards(operand.tensor.dims().size());
    for (size_t i = 0; i < shards.size() && i < operand.dims.size(); ++i) {
      const int64_t dim = operand.dims[i];
      if (dim == kWholeDim || dim >= static_cast<int64_t>(merged.size())) {
        continue;
      }
      shards[i] = merged[dim];
    }
    TensorDistAttr attr =
        CopyTensorDistAttrForOutput(operand.tensor.dist_attr());
    attr.set_dims_mapping(shards);
    found.emplace_back(attr);
  }
  return found;
}

}  // namespace

std::vector<int64_t> BatchDims(const DistMetaTensor& x,
                               const std::vector<int64_t>& whole) {
  const int64_t rank = x.dims().size();
  std::vector<int64_t> found;
  for (int64_t dim = 0; dim < rank; ++dim) {
    found.push_back(Holds(whole, dim, rank) ? kWholeDim : dim);
  }
  return found;
}

std::vector<int64_t> BatchDimsWithout(const DistMetaTensor& tensor,
                                      const DistMetaTensor& x,
                                      const std::vector<int64_t>& whole) {
  std::vector<int64_t> found;
  for (int64_t dim : BatchDims(x, whole)) {
    if (dim != kWholeDim) found.push_back(dim);
  }
  found.resize(tensor.dims().size(), kWholeDim);
  return found;
}

SpmdInfo ShardBatchDims(const std::vector<BatchedOperand>& sources,
                        const std::vector<BatchedOperand>& inputs,
                        const std::vector<BatchedOperand>& outputs) {
  const Shards merged = MergedShards(sources);
  return {Attrs(inputs, merged), Attrs(outputs, merged)};
}

}  // namespace distributed
}  // namespace phi
