// The cores of the gradients of scatter, index_scatter and index_reduce.

#include "call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/grad.h"
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

  ops::AxisView view() const {
    return {out_grad.shape(), updates_grad.shape(), 1};
  }
};

template <typename T, IndexReduce kReduce>
void ReduceGrad(const Call& c) {
  const std::vector<int64_t> slots = c.slots.slots();
  const ops::AxisView view = c.view();
  const ops::IndexGroups groups = ops::GroupSlots(slots, c.out_grad.dims[1]);
  ops::IndexReduceDifferentiator<T, kReduce>(view,
                                             groups,
                                             c.include_self,
                                             {c.x.as<T>(),
                                              c.updates.as<T>(),
                                              c.out_grad.as<T>(),
                                              c.x_grad.as<T>(),
                                              c.updates_grad.as<T>()})
      .Run();
  if (c.updates_grad.data) {
    ops::ClearUnusedUpdates(view, groups.positions(), c.updates_grad.as<T>());
  }
}

void LinearGrad(const Call& c, IndexReduce reduce) {
  const std::vector<int64_t> slots = c.slots.slots();
  const ops::AxisView view = c.view();
  const ops::LinearIndexGrad<float> gradient(
      view, slots, reduce, c.include_self);
  gradient.Updates(c.out_grad.as<float>(), c.updates_grad.as<float>());
  gradient.X(c.out_grad.as<float>(), c.x_grad.as<float>());
}

}  // namespace

CHECKED void mul_grad_float32(Call c) {
  ReduceGrad<float, IndexReduce::kMul>(c);
}
CHECKED void mul_grad_bfloat16(Call c) {
  ReduceGrad<bfloat16, IndexReduce::kMul>(c);
}
CHECKED void amax_grad_float32(Call c) {
  ReduceGrad<float, IndexReduce::kAmax>(c);
}
CHECKED void assign_grad_float32(Call c) {
  LinearGrad(c, IndexReduce::kAssign);
}
CHECKED void add_grad_float32(Call c) { LinearGrad(c, IndexReduce::kSum); }
CHECKED void mean_grad_float32(Call c) { LinearGrad(c, IndexReduce::kMean); }
