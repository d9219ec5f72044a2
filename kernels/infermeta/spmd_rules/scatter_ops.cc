#include "paddle/phi/infermeta/spmd_rules/scatter_ops.h"

#include <algorithm>
#include <set>

#include "glog/logging.h"

#include "paddle/phi/core/distributed/auto_parallel/dist_attr.h"
#include "paddle/phi/core/distributed/auto_parallel/utils.h"
#include "paddle/phi/infermeta/spmd_rules/replicated.h"
#include "paddle/phi/infermeta/spmd_rules/spmd_rule_macro_define.h"
#include "paddle/phi/infermeta/spmd_rules/utils.h"

namespace phi::distributed {

namespace {

using Tensors = std::vector<const DistMetaTensor*>;
// Einsum notations of the inputs, then of out. "1" marks a replicated dim.
using Axes = std::vector<std::string>;
using AxisToDimMap = std::unordered_map<std::string, int64_t>;

constexpr char kAlphabet[] = "abcdefghijklmnopqrstuvwxyz";

// The first tensor that shards an axis, or that uses a mesh dim, has priority.
// ShardingMergeForTensors raises if two mesh dims shard one axis.
AxisToDimMap MergeShardings(const Tensors& tensors, const Axes& axes) {
  AxisToDimMap map;
  std::set<int64_t> used;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const DistMetaTensor& tensor = *tensors[i];
    EXTRACT_SHAPE_AND_DIST_ATTR(tensor);
    for (int dim = 0; dim < tensor_ndim; ++dim) {
      const std::string axis(1, axes[i][dim]);
      const int64_t mesh_dim = tensor_dims_mapping_src[dim];
      if (axis == "1" || mesh_dim == -1 || map.count(axis)) continue;
      if (used.insert(mesh_dim).second) map[axis] = mesh_dim;
    }
  }
  return map;
}

TensorDistAttr GetDistAttr(const DistMetaTensor& tensor,
                           const std::string& axes,
                           const AxisToDimMap& map) {
  EXTRACT_SHAPE_AND_DIST_ATTR(tensor);
  TensorDistAttr tensor_dist_attr_dst =
      CopyTensorDistAttrForOutput(tensor_dist_attr_src);
  tensor_dist_attr_dst.set_dims_mapping(GetDimsMappingForAxes(axes, map, true));
  LOG_SPMD_INPUT(tensor);
  return tensor_dist_attr_dst;
}

std::vector<ArgDistAttr> GetDistAttrs(const Tensors& tensors,
                                      const Axes& axes,
                                      const AxisToDimMap& map) {
  std::vector<ArgDistAttr> dist_attrs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    dist_attrs.push_back(GetDistAttr(*tensors[i], axes[i], map));
  }
  return dist_attrs;
}

SpmdInfo InferSpmdBase(const Tensors& inputs, const Axes& axes) {
  const AxisToDimMap map = MergeShardings(inputs, axes);
  return {GetDistAttrs(inputs, axes, map),
          {GetDistAttr(*inputs[0], axes.back(), map)}};
}

SpmdInfo InferSpmdReverseBase(const Tensors& inputs,
                              const DistMetaTensor& out,
                              const Axes& axes) {
  const AxisToDimMap map = MergeShardings({&out}, {axes.back()});
  return {GetDistAttrs(inputs, axes, map),
          {GetDistAttr(out, axes.back(), map)}};
}

// The first and the last input have gradients. An axis of out_grad that an
// input lacks is summed in its gradient.
SpmdInfo GradInferSpmdBase(const Tensors& inputs,
                           const DistMetaTensor& out_grad,
                           const Axes& axes) {
  const AxisToDimMap map = MergeShardings({&out_grad}, {axes.back()});
  SpmdInfo info{GetDistAttrs(inputs, axes, map), {}};
  info.first.push_back(GetDistAttr(out_grad, axes.back(), map));
  for (size_t i : {size_t{0}, inputs.size() - 1}) {
    TensorDistAttr grad = GetDistAttr(*inputs[i], axes[i], map);
    grad.set_partial_status(ResoluteOutputPartialDimension(map, axes[i]));
    info.second.push_back(grad);
  }
  return info;
}

// E.g. x: abc, mask: a1c, value: b1, out: abc
Axes GetMaskedFillAxes(const DistMetaTensor& x,
                       const DistMetaTensor& mask,
                       const DistMetaTensor& value) {
  const int out_ndim = std::max(x.dims().size(), mask.dims().size());
  Axes axes;
  std::string out_axes(out_ndim, '1');
  for (const DistMetaTensor* input : {&x, &mask, &value}) {
    const int ndim = input->dims().size();
    std::string input_axes(ndim, '1');
    // A value of one element may have more dims than out.
    for (int dim = std::max(ndim - out_ndim, 0); dim < ndim; ++dim) {
      if (input->dims()[dim] == 1) continue;
      const int out_dim = out_ndim - ndim + dim;
      input_axes[dim] = out_axes[out_dim] = kAlphabet[out_dim];
    }
    axes.push_back(input_axes);
  }
  axes.push_back(out_axes);
  return axes;
}

// E.g. axis: 1, x: a1c, updates: a1c, or ac if its rank is lower, out: a1c
Axes GetScatterAxes(const DistMetaTensor& x,
                    const DistMetaTensor& updates,
                    const std::vector<int>& replicated_dims) {
  const int x_ndim = x.dims().size();
  const int updates_ndim = updates.dims().size();
  std::string x_axes = GetBroadcastAxes(x_ndim, x_ndim, kAlphabet);
  for (int dim : replicated_dims) {
    x_axes[auto_parallel::canonical_dim(dim, x_ndim)] = '1';
  }
  std::string updates_axes = x_axes;
  if (updates_ndim < x_ndim) {
    auto end = std::remove(updates_axes.begin(), updates_axes.end(), '1');
    updates_axes.erase(end, updates_axes.end());
  }
  // The last dim of y in diagonal_scatter is the diagonal.
  updates_axes.resize(updates_ndim, '1');
  return {x_axes, updates_axes, x_axes};
}

Axes GetIndexScatterAxes(const DistMetaTensor& x,
                         const DistMetaTensor& index,
                         const DistMetaTensor& updates,
                         int axis) {
  Axes axes = GetScatterAxes(x, updates, {axis});
  axes.emplace(axes.begin() + 1, index.dims().size(), '1');
  return axes;
}

}  // namespace

SpmdInfo MaskedFillInferSpmd(const DistMetaTensor& x,
                             const DistMetaTensor& mask,
                             const DistMetaTensor& value) {
  return InferSpmdBase({&x, &mask, &value}, GetMaskedFillAxes(x, mask, value));
}

SpmdInfo MaskedFillInferSpmdReverse(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out) {
  return InferSpmdReverseBase(
      {&x, &mask, &value}, out, GetMaskedFillAxes(x, mask, value));
}

SpmdInfo MaskedFillGradInferSpmd(const DistMetaTensor& x,
                                 const DistMetaTensor& mask,
                                 const DistMetaTensor& value,
                                 const DistMetaTensor& out_grad) {
  return GradInferSpmdBase(
      {&x, &mask, &value}, out_grad, GetMaskedFillAxes(x, mask, value));
}

SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& mask,
                                const DistMetaTensor& value) {
  return ReplicatedInferSpmd(
      {&x, &mask, &value}, {x.dims().size() < mask.dims().size() ? &mask : &x});
}

SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value,
                                       const DistMetaTensor& out) {
  return ReplicatedInferSpmdReverse({&x, &mask, &value}, {&out});
}

SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out_grad) {
  return ReplicatedInferSpmd({&x, &mask, &value, &out_grad}, {&x, &value});
}

SpmdInfo SelectScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& values,
                                int axis,
                                int index) {
  return InferSpmdBase({&x, &values}, GetScatterAxes(x, values, {axis}));
}

SpmdInfo SelectScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& values,
                                       const DistMetaTensor& out,
                                       int axis,
                                       int index) {
  return InferSpmdReverseBase(
      {&x, &values}, out, GetScatterAxes(x, values, {axis}));
}

SpmdInfo SelectScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& values,
                                    const DistMetaTensor& out_grad,
                                    int axis,
                                    int index) {
  return GradInferSpmdBase(
      {&x, &values}, out_grad, GetScatterAxes(x, values, {axis}));
}

SpmdInfo DiagonalScatterInferSpmd(const DistMetaTensor& x,
                                  const DistMetaTensor& y,
                                  int offset,
                                  int axis1,
                                  int axis2) {
  return InferSpmdBase({&x, &y}, GetScatterAxes(x, y, {axis1, axis2}));
}

SpmdInfo DiagonalScatterInferSpmdReverse(const DistMetaTensor& x,
                                         const DistMetaTensor& y,
                                         const DistMetaTensor& out,
                                         int offset,
                                         int axis1,
                                         int axis2) {
  return InferSpmdReverseBase(
      {&x, &y}, out, GetScatterAxes(x, y, {axis1, axis2}));
}

SpmdInfo DiagonalScatterGradInferSpmd(const DistMetaTensor& x,
                                      const DistMetaTensor& y,
                                      const DistMetaTensor& out_grad,
                                      int offset,
                                      int axis1,
                                      int axis2) {
  return GradInferSpmdBase(
      {&x, &y}, out_grad, GetScatterAxes(x, y, {axis1, axis2}));
}

SpmdInfo IndexScatterInferSpmd(const DistMetaTensor& x,
                               const DistMetaTensor& index,
                               const DistMetaTensor& updates,
                               int axis,
                               const std::string& reduce,
                               bool include_self) {
  return InferSpmdBase({&x, &index, &updates},
                       GetIndexScatterAxes(x, index, updates, axis));
}

SpmdInfo IndexScatterInferSpmdReverse(const DistMetaTensor& x,
                                      const DistMetaTensor& index,
                                      const DistMetaTensor& updates,
                                      const DistMetaTensor& out,
                                      int axis,
                                      const std::string& reduce,
                                      bool include_self) {
  return InferSpmdReverseBase({&x, &index, &updates},
                              out,
                              GetIndexScatterAxes(x, index, updates, axis));
}

SpmdInfo IndexScatterGradInferSpmd(const DistMetaTensor& x,
                                   const DistMetaTensor& index,
                                   const DistMetaTensor& updates,
                                   const DistMetaTensor& out_grad,
                                   int axis,
                                   const std::string& reduce,
                                   bool include_self) {
  return GradInferSpmdBase({&x, &index, &updates},
                           out_grad,
                           GetIndexScatterAxes(x, index, updates, axis));
}

SpmdInfo IndexReduceGradInferSpmd(const DistMetaTensor& x,
                                  const DistMetaTensor& index,
                                  const DistMetaTensor& updates,
                                  const DistMetaTensor& out,
                                  const DistMetaTensor& out_grad,
                                  int axis,
                                  const std::string& reduce,
                                  bool include_self) {
  SpmdInfo info = IndexScatterGradInferSpmd(
      x, index, updates, out_grad, axis, reduce, include_self);
  // out is sharded as out_grad.
  info.first.push_back(info.first.back());
  return info;
}

}  // namespace phi::distributed
