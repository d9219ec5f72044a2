// The cores of the gradients of scatter, index_scatter and index_reduce.

#include "call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/group_grads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/linear_grad.h"

namespace ops = phi::funcs::scatter_ops;
using check::Array;
using ops::IndexReduce;
using phi::dtype::bfloat16;

namespace {

// What a gradient along the middle one of three axes takes and gives.
struct Call {
  Array x, updates, out_grad, slots, x_grad, updates_grad;
  bool include_self;

  ops::IndexSlots index() const {
    return ops::ReadSlots(
        "check", slots.as<int64_t>(), slots.numel(), view().size);
  }
  ops::AxisView view() const {
    return {out_grad.shape(), updates_grad.shape(), 1};
  }
};

template <typename T, IndexReduce kReduce>
void ReduceGrad(const Call& c) {
  const ops::AxisView view = c.view();
  const ops::IndexGroups groups = ops::GroupSlots(c.index(), view.size);
  ops::DifferentiateGroups<T, kReduce>(
      view,
      groups,
      c.include_self,
      {c.x, c.updates, c.out_grad, c.x_grad, c.updates_grad});
  if (c.updates_grad.data) {
    ops::ClearUnusedUpdates(view, groups.positions(), c.updates_grad.as<T>());
  }
}

void LinearGrad(const Call& c, IndexReduce reduce) {
  const ops::AxisView view = c.view();
  const ops::LinearIndexGrad<float> gradient(
      view, c.index(), reduce, c.include_self);
  gradient.Updates(c.out_grad, c.updates_grad);
  gradient.X(c.out_grad, c.x_grad);
}

}  // namespace

#define REDUCE_GRAD(name, T, kReduce) \
  CHECKED void name(Call c) { ReduceGrad<T, IndexReduce::kReduce>(c); }
#define LINEAR_GRAD(name, kReduce) \
  CHECKED void name(Call c) { LinearGrad(c, IndexReduce::kReduce); }

REDUCE_GRAD(mul_grad_float32, float, kMul)
REDUCE_GRAD(mul_grad_bfloat16, bfloat16, kMul)
REDUCE_GRAD(amax_grad_float32, float, kAmax)
LINEAR_GRAD(assign_grad_float32, kAssign)
LINEAR_GRAD(add_grad_float32, kSum)
LINEAR_GRAD(mean_grad_float32, kMean)
