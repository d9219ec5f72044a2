// The cores of the gradients of scatter, index_scatter and index_reduce.

#include "indexed_case.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/grad.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/linear_grad.h"

namespace ops = phi::funcs::scatter_ops;
using ops::IndexReduce;
using phi::dtype::bfloat16;

namespace check {
namespace {

// Expected gradients of x and updates; zeros until they are known.
template <typename T>
struct Grads {
  Array<T> x, updates;

  explicit Grads(const IndexedCase& c)
      : x(c.x_numel()), updates(c.updates_numel()) {
    std::fill_n(x.data(), x.size(), T{});
    std::fill_n(updates.data(), updates.size(), T{});
  }
};

// The product of all elements but one, which are 1, 0 and -1.
template <typename T>
std::vector<float> ProductsOfOthers(const std::vector<T>& elements) {
  int64_t zeros = 0;
  int64_t minuses = 0;
  for (const T element : elements) {
    zeros += element == T(0.0f);
    minuses += element < T(0.0f);
  }
  std::vector<float> products;
  for (const T element : elements) {
    const bool none = zeros > (element == T(0.0f));
    const bool minus = (minuses - (element < T(0.0f))) % 2 != 0;
    products.push_back((none ? 0.0f : 1.0f) * (minus ? -1.0f : 1.0f));
  }
  return products;
}

// An equal share for each maximum.
template <typename T>
std::vector<float> SharesOfBest(const std::vector<T>& elements) {
  const T best = *std::max_element(elements.begin(), elements.end());
  std::vector<float> shares;
  for (const T element : elements) shares.push_back(element == best);
  return shares;
}

template <typename T, IndexReduce kReduce>
std::vector<T> ElementGrads(const std::vector<T>& elements, T grad) {
  const bool mul = kReduce == IndexReduce::kMul;
  const std::vector<float> factors =
      mul ? ProductsOfOthers(elements) : SharesOfBest(elements);
  const float parts = mul ? 1.0f
                          : static_cast<float>(std::count(
                                factors.begin(), factors.end(), 1.0f));
  std::vector<T> grads;
  for (const float factor : factors) {
    const float share = factor * (static_cast<float>(grad) / parts);
    grads.push_back(static_cast<T>(!mul && factor == 0.0f ? 0.0f : share));
  }
  return grads;
}

template <typename T, IndexReduce kReduce>
int CheckReduceGrad(Random* random) {
  const IndexedCase c(random);
  const Array<T> out_grad = RandomDigits<T>(random, c.x_numel());
  Array<T> x(c.x_numel());
  Array<T> updates(c.updates_numel());
  for (Array<T>* factors : {&x, &updates}) {
    for (int64_t i = 0; i < factors->size(); ++i) {
      (*factors)[i] = static_cast<T>(static_cast<float>(Below(random, 3) - 1));
    }
  }
  Grads<T> expected(c);
  std::vector<T> elements;
  c.ForEachElement([&](int64_t at, const std::vector<int64_t>& from) {
    elements.clear();
    if (c.include_self || from.empty()) elements.push_back(x[at]);
    for (const int64_t u : from) elements.push_back(updates[u]);
    const auto grads = ElementGrads<T, kReduce>(elements, out_grad[at]);
    if (from.empty()) {
      expected.x[at] = out_grad[at];
      return;
    }
    if (c.include_self) expected.x[at] = grads[0];
    for (size_t i = 0; i < from.size(); ++i) {
      expected.updates[from[i]] = grads[i + c.include_self];
    }
  });
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
  if (with_x) ExpectSame("gradient of x", x_grad, expected.x);
  if (!with_updates) return 1;
  ops::ClearUnusedUpdates(view, groups.positions(), updates_grad.data());
  ExpectSame("gradient of updates", updates_grad, expected.updates);
  return 1;
}

template <typename T>
int CheckLinearGrad(Random* random, IndexReduce reduce) {
  const IndexedCase c(random);
  const bool assigns = reduce == IndexReduce::kAssign;
  const bool self = c.include_self && !assigns;
  Array<T> out_grad = RandomDigits<T>(random, c.x_numel());
  Grads<T> expected(c);
  c.ForEachElement([&](int64_t at, const std::vector<int64_t>& from) {
    const float count = reduce == IndexReduce::kMean
                            ? static_cast<float>(from.size() + self)
                            : 1.0f;
    const T share = static_cast<T>(static_cast<float>(out_grad[at]) / count);
    if (from.empty()) expected.x[at] = out_grad[at];
    if (!from.empty() && self) expected.x[at] = share;
    for (const int64_t u : from) {
      if (!assigns || u == from.back()) expected.updates[u] = share;
    }
  });
  Array<T> updates_grad(c.updates_numel());
  const ops::AxisView view = c.view();
  const ops::LinearIndexGrad<T> gradient(view, c.slots, reduce, c.include_self);
  gradient.Updates(out_grad.data(), updates_grad.data());
  ExpectSame("linear gradient of updates", updates_grad, expected.updates);
  const bool in_place = OneIn(random, 2);
  Array<T> fresh(c.x_numel());
  Array<T>* x_grad = in_place ? &out_grad : &fresh;
  gradient.X(out_grad.data(), x_grad->data());
  ExpectSame("linear gradient of x", *x_grad, expected.x);
  return 2;
}

}  // namespace

int CheckIndexedGrads(Random* random) {
  return CheckReduceGrad<float, IndexReduce::kMul>(random) +
         CheckReduceGrad<float, IndexReduce::kAmax>(random) +
         CheckReduceGrad<bfloat16, IndexReduce::kMul>(random) +
         CheckLinearGrad<float>(random, IndexReduce::kAssign) +
         CheckLinearGrad<float>(random, IndexReduce::kSum) +
         CheckLinearGrad<float>(random, IndexReduce::kMean);
}

}  // namespace check
