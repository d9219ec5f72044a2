// The cores of masked_scatter, masked_fill and their gradients.

#include "check.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_fill.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_sum.h"

namespace ops = phi::funcs::scatter_ops;
using phi::DDim;

namespace check {
namespace {

// The dims of an operand that broadcasts to `out`.
DDim OperandDims(Random* random, const DDim& out) {
  const int dropped = OneIn(random, 4) ? Below(random, out.size()) : 0;
  const bool flat = OneIn(random, 2);
  std::vector<int64_t> shape;
  for (int i = flat ? 0 : dropped; i < out.size(); ++i) {
    shape.push_back(!flat && OneIn(random, 3) ? 1 : out[i]);
  }
  return common::make_ddim(shape);
}

// A mask and an x that broadcast to the same shape.
template <typename Word>
struct Case {
  DDim dims;
  int64_t numel;
  DDim x_dims;
  DDim mask_dims;
  Array<Word> x;
  Array<uint8_t> mask;

  explicit Case(Random* random)
      : dims(RandomDims(random, RandomSize(random))),
        numel(common::product(dims)),
        x_dims(OperandDims(random, dims)),
        mask_dims(OperandDims(random, dims)),
        x(RandomBits<Word>(random, common::product(x_dims))),
        mask(common::product(mask_dims)) {
    // Often almost all True: then the values end in the middle of a vector.
    const int64_t density = OneIn(random, 2) ? 62 : Below(random, 65);
    for (int64_t i = 0; i < mask.size(); ++i) {
      mask[i] = Below(random, 64) < density ? 1 + Below(random, 255) : 0;
    }
  }

  ops::MaskView mask_view() const { return {mask.data(), {dims, mask_dims}}; }
  ops::WordView<Word> x_view() const { return {x.data(), {dims, x_dims}}; }

  // Returns how many Trues the mask has.
  int64_t Scatter(Array<Word>* out, const Array<Word>& value, bool in_place) {
    return ops::MaskedScatterCpu<Word>(out->data(),
                                       numel,
                                       x_view(),
                                       mask_view(),
                                       value.data(),
                                       value.size(),
                                       in_place);
  }
};

template <typename Word>
void CheckScatter(Random* random) {
  Case<Word> c(random);
  Array<Word> out(c.numel);
  const int64_t trues = c.Scatter(&out, Array<Word>(0), false);
  const int64_t missing =
      trues > 0 && OneIn(random, 4) ? 1 + Below(random, trues) : 0;
  const Array<Word> value = RandomBits<Word>(random, trues - missing);
  const bool in_place = c.x_dims == c.dims && OneIn(random, 2);
  c.Scatter(in_place ? &c.x : &out, value, in_place);

  const int64_t spare = Below(random, 3) * Below(random, 50);
  Array<Word> x_grad(c.numel);
  Array<Word> value_grad(trues + spare);
  const bool over = OneIn(random, 2);
  ops::MaskedScatterGradCpu<Word>(
      out.data(),
      c.numel,
      c.mask_view(),
      over ? out.data() : x_grad.data(),
      OneIn(random, 4) ? nullptr : value_grad.data(),
      value_grad.size());
}

template <typename Word>
void CheckFill(Random* random) {
  const Case<Word> c(random);
  const DDim dims = OperandDims(random, c.dims);
  const Array<Word> value = RandomBits<Word>(random, common::product(dims));
  Array<Word> out(c.numel);
  ops::MaskSelectCpu<Word>(out.data(),
                           c.numel,
                           c.x_view(),
                           c.mask_view(),
                           {value.data(), {c.dims, dims}});
  ops::MaskedFillCpu<Word>(
      out.data(), c.numel, c.x_view(), c.mask_view(), value[0]);
}

template <typename T>
void CheckSum(Random* random) {
  const Case<uint8_t> c(random);
  const DDim dims = OperandDims(random, c.dims);
  const Array<T> in = RandomDigits<T>(random, c.numel);
  Array<T> out(common::product(dims));
  ops::MaskedSum<T>(in.data(), c.dims, c.mask_view(), OneIn(random, 2), dims)
      .Run(out.data());
}

template <typename Word>
int CheckWord(Random* random) {
  constexpr int kTimes = 4;
  for (int i = 0; i < kTimes; ++i) {
    CheckScatter<Word>(random);
    CheckFill<Word>(random);
  }
  return 4 * kTimes;
}

}  // namespace

int CheckMasked(Random* random) {
  FLAGS_scatter_ops_use_avx2 = !OneIn(random, 3);
  CheckSum<double>(random);
  CheckSum<float>(random);
  CheckSum<phi::dtype::complex<float>>(random);
  return CheckWord<uint8_t>(random) + CheckWord<uint16_t>(random) +
         CheckWord<uint32_t>(random) + CheckWord<uint64_t>(random) +
         CheckWord<ops::Bytes16>(random) + 3;
}

}  // namespace check
