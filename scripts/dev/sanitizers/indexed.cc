// The cores of scatter, index_scatter, index_reduce and their gradients.

#include <type_traits>

#include "check.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/forward.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/grad.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/linear_grad.h"

namespace ops = phi::funcs::scatter_ops;
using ops::IndexReduce;
using phi::dtype::bfloat16;
using phi::dtype::complex;

namespace check {
namespace {

// A call of scatter along an axis; updates may have rows behind the index's
// end.
struct Case {
  int64_t outer, size, inner, length, spare;
  bool include_self;
  std::vector<int64_t> slots;

  explicit Case(Random* random) {
    const bool large = OneIn(random, 3);
    outer = OneIn(random, 2) ? 1 : 1 + Below(random, 40);
    inner = OneIn(random, 3) ? 1 : 1 + Below(random, large ? 600 : 20);
    size = 1 + Below(random, OneIn(random, 4) ? 5000 / inner + 1 : 30);
    length = 1 + Below(random, large ? 200000 / outer / inner + 2 : 50);
    spare = OneIn(random, 3) ? Below(random, 5) : 0;
    include_self = OneIn(random, 2);
    const int64_t used = OneIn(random, 3) ? std::min<int64_t>(size, 2) : size;
    for (int64_t i = 0; i < length; ++i) slots.push_back(Below(random, used));
  }

  int64_t x_numel() const { return outer * size * inner; }
  int64_t updates_numel() const { return outer * (length + spare) * inner; }
  ops::AxisView view() const {
    return {common::make_ddim({outer, size, inner}),
            common::make_ddim({outer, length + spare, inner}),
            1};
  }
};

// Every integer; of the others numbers whose sums and products stay finite.
template <typename T>
Array<T> Numbers(Random* random, int64_t n) {
  if constexpr (std::is_integral<T>::value) return RandomBits<T>(random, n);
  return RandomDigits<T>(random, n, -1, 1);
}

template <typename T, IndexReduce kReduce>
int CheckReduce(Random* random) {
  const Case c(random);
  const bool self = c.include_self && kReduce != IndexReduce::kAssign;
  Array<T> x = Numbers<T>(random, c.x_numel());
  const Array<T> updates = Numbers<T>(random, c.updates_numel());
  Array<T> fresh(c.x_numel());
  T* out = OneIn(random, 2) ? x.data() : fresh.data();
  ops::ReduceSlots<T, kReduce>(
      c.view(), c.slots, self, x.data(), updates.data(), out);
  return 1;
}

template <typename T, IndexReduce kReduce>
int CheckReduceGrad(Random* random) {
  const Case c(random);
  const Array<T> out_grad = Numbers<T>(random, c.x_numel());
  const Array<T> x = Numbers<T>(random, c.x_numel());
  const Array<T> updates = Numbers<T>(random, c.updates_numel());
  const bool with_x = !OneIn(random, 4);
  const bool with_updates = !with_x || !OneIn(random, 4);
  Array<T> x_grad(c.x_numel());
  Array<T> updates_grad(c.updates_numel());
  const ops::AxisView view = c.view();
  const ops::IndexGroups groups = ops::GroupSlots(c.slots, c.size);
  ops::IndexReduceDifferentiator<T, kReduce>(
      view,
      groups,
      c.include_self,
      {x.data(),
       updates.data(),
       out_grad.data(),
       with_x ? x_grad.data() : nullptr,
       with_updates ? updates_grad.data() : nullptr})
      .Run();
  if (with_updates) {
    ops::ClearUnusedUpdates(view, groups.positions(), updates_grad.data());
  }
  return 1;
}

template <typename T>
int CheckLinearGrad(Random* random, IndexReduce reduce) {
  const Case c(random);
  Array<T> out_grad = Numbers<T>(random, c.x_numel());
  Array<T> updates_grad(c.updates_numel());
  const ops::AxisView view = c.view();
  const ops::LinearIndexGrad<T> gradient(view, c.slots, reduce, c.include_self);
  gradient.Updates(out_grad.data(), updates_grad.data());
  Array<T> fresh(c.x_numel());
  gradient.X(out_grad.data(),
             OneIn(random, 2) ? out_grad.data() : fresh.data());
  return 2;
}

}  // namespace

int CheckIndexed(Random* random) {
  return CheckReduce<float, IndexReduce::kAssign>(random) +
         CheckReduce<float, IndexReduce::kSum>(random) +
         CheckReduce<float, IndexReduce::kMean>(random) +
         CheckReduce<float, IndexReduce::kAmax>(random) +
         CheckReduce<bfloat16, IndexReduce::kMean>(random) +
         CheckReduce<complex<double>, IndexReduce::kMul>(random) +
         CheckReduce<int64_t, IndexReduce::kMul>(random) +
         CheckReduce<int64_t, IndexReduce::kMean>(random) +
         CheckReduce<int32_t, IndexReduce::kSum>(random) +
         CheckReduce<int8_t, IndexReduce::kMean>(random) +
         CheckReduce<int8_t, IndexReduce::kAmin>(random) +
         CheckReduceGrad<float, IndexReduce::kMul>(random) +
         CheckReduceGrad<float, IndexReduce::kAmax>(random) +
         CheckReduceGrad<bfloat16, IndexReduce::kMul>(random) +
         CheckLinearGrad<float>(random, IndexReduce::kAssign) +
         CheckLinearGrad<float>(random, IndexReduce::kSum) +
         CheckLinearGrad<float>(random, IndexReduce::kMean);
}

}  // namespace check
