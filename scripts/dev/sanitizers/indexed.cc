// The core of scatter, index_scatter and index_reduce.

#include "call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/grouped.h"

namespace ops = phi::funcs::scatter_ops;
using check::Array;
using ops::IndexReduce;
using phi::dtype::bfloat16;
using phi::dtype::complex;

namespace {

// Along the middle one of three axes.
template <typename T, IndexReduce kReduce>
void Reduce(Array out, Array x, Array updates, Array slots, bool include_self) {
  const ops::AxisView view(x.shape(), updates.shape(), 1);
  const ops::IndexSlots index =
      ops::ReadSlots("check", slots.as<int64_t>(), slots.numel(), view.size);
  ops::ReduceSlots<T, kReduce>({view, index, include_self, x, updates, out});
}

}  // namespace

#define REDUCE(name, T, kReduce)                                       \
  CHECKED void name(Array out, Array x, Array u, Array s, bool self) { \
    Reduce<T, IndexReduce::kReduce>(out, x, u, s, self);               \
  }

REDUCE(assign_float32, float, kAssign)
REDUCE(add_int32, int32_t, kSum)
REDUCE(add_float32, float, kSum)
REDUCE(mean_float32, float, kMean)
REDUCE(mean_bfloat16, bfloat16, kMean)
REDUCE(mean_int64, int64_t, kMean)
REDUCE(mean_int8, int8_t, kMean)
REDUCE(mul_complex128, complex<double>, kMul)
REDUCE(mul_int64, int64_t, kMul)
REDUCE(amax_float32, float, kAmax)
REDUCE(amin_int8, int8_t, kAmin)
