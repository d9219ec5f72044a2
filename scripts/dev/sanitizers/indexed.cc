// The cores of scatter, index_scatter, index_reduce and their gradients, along
// the middle one of three axes.

#include "cases.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/group_grads.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/grouped.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/linear_grad.h"

namespace check {
namespace {

using ops::IndexReduce;
using phi::dtype::bfloat16;
using phi::dtype::complex;

struct Indexed {
  bool large = OneIn(3);
  int64_t outer = OneIn(2) ? 1 : 1 + Below(40);
  int64_t inner = OneIn(3) ? 1 : 1 + Below(large ? 600 : 20);
  int64_t size = 1 + Below(OneIn(4) ? 5000 / inner + 1 : 30);
  int64_t length = 1 + Below(large ? 200000 / outer / inner + 2 : 50);
  int64_t used = OneIn(3) ? std::min<int64_t>(size, 2) : size;
  bool include_self = OneIn(2);
  Dims x_dims{outer, size, inner};
  Dims updates_dims{outer, length + (OneIn(3) ? Below(5) : 0), inner};
  int64_t from_end = OneIn(2) ? size : 0;
  Array<int64_t> index = Filled<int64_t>(
      {length}, [this] { return Below(used) - (OneIn(3) ? from_end : 0); });
  Array<int32_t> short_index = Converted<int32_t>(index);
  ops::AxisView view{
      common::make_ddim(x_dims), common::make_ddim(updates_dims), 1};

  ops::IndexSlots Index() const {
    return OneIn(2)
               ? ops::ReadSlots<int64_t>("check", index, length, size)
               : ops::ReadSlots<int32_t>("check", short_index, length, size);
  }
};

template <typename T, IndexReduce kReduce>
void Reduce() {
  const Indexed c;
  const bool keeps = c.include_self && kReduce != IndexReduce::kAssign;
  const int64_t most = kReduce == IndexReduce::kMul ? 1 : 9;
  const auto x = Numbers<T>(c.x_dims, most);
  const auto updates = Numbers<T>(c.updates_dims, most);
  const Array<T> other(c.x_dims);
  const auto& out = OneIn(2) ? x : other;
  ops::ReduceSlots<T, kReduce>({c.view, c.Index(), keeps, x, updates, out});
  out.Note();
}

template <typename T, IndexReduce kReduce>
void ReduceGrad() {
  const Indexed c;
  const auto x = Numbers<T>(c.x_dims, 1);
  const auto updates = Numbers<T>(c.updates_dims, 1);
  const auto out_grad = Numbers<T>(c.x_dims);
  const Array<T> x_grad(c.x_dims), updates_grad(c.updates_dims);
  const int64_t kind = Below(8);  // some want one of the gradients only
  T* const to_x = x_grad.If(kind != 0);
  T* const to_updates = updates_grad.If(kind != 1);
  const ops::IndexGroups groups = ops::GroupSlots(c.Index(), c.size);
  ops::DifferentiateGroups<T, kReduce>(
      c.view, groups, c.include_self, {x, updates, out_grad, to_x, to_updates});
  if (to_updates) {
    ops::ClearUnusedUpdates(c.view, groups.positions(), to_updates);
    updates_grad.Note();
  }
  if (to_x) x_grad.Note();
}

void LinearGrad(IndexReduce reduce) {
  const Indexed c;
  const auto out_grad = Numbers<float>(c.x_dims);
  const Array<float> updates_grad(c.updates_dims), other(c.x_dims);
  const auto& x_grad = OneIn(2) ? out_grad : other;
  const ops::LinearIndexGrad<float> gradient(
      c.view, c.Index(), reduce, c.include_self);
  gradient.Updates(out_grad, updates_grad);
  gradient.X(out_grad, x_grad);
  updates_grad.Note();
  x_grad.Note();
}

}  // namespace

void CheckIndexed() {
  Reduce<float, IndexReduce::kAssign>();
  Reduce<int32_t, IndexReduce::kSum>();
  Reduce<float, IndexReduce::kSum>();
  Reduce<float, IndexReduce::kMean>();
  Reduce<bfloat16, IndexReduce::kMean>();
  Reduce<int64_t, IndexReduce::kMean>();
  Reduce<int8_t, IndexReduce::kMean>();
  Reduce<complex<double>, IndexReduce::kMul>();
  Reduce<int64_t, IndexReduce::kMul>();
  Reduce<float, IndexReduce::kAmax>();
  Reduce<int8_t, IndexReduce::kAmin>();
  ReduceGrad<float, IndexReduce::kMul>();
  ReduceGrad<bfloat16, IndexReduce::kMul>();
  ReduceGrad<float, IndexReduce::kAmax>();
  LinearGrad(IndexReduce::kAssign);
  LinearGrad(IndexReduce::kSum);
  LinearGrad(IndexReduce::kMean);
  cases += 17;
}

}  // namespace check
