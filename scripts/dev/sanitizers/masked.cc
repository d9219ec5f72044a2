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

// An operand that broadcasts to `out`: where its element of output i lies.
struct Operand {
  DDim out;
  DDim dims;

  Operand(Random* random, const DDim& out) : out(out) {
    const int dropped = OneIn(random, 4) ? Below(random, out.size()) : 0;
    const bool flat = OneIn(random, 2);
    std::vector<int64_t> shape;
    for (int i = flat ? 0 : dropped; i < out.size(); ++i) {
      shape.push_back(!flat && OneIn(random, 3) ? 1 : out[i]);
    }
    dims = common::make_ddim(shape);
  }

  int64_t numel() const { return common::product(dims); }
  bool is_whole() const { return dims == out; }
  ops::BroadcastView view() const { return {out, dims}; }

  int64_t At(int64_t i) const {
    int64_t offset = 0;
    int64_t stride = 1;
    for (int axis = out.size() - 1, own = dims.size() - 1; own >= 0;
         --axis, --own) {
      if (dims[own] > 1) offset += i % out[axis] * stride;
      stride *= dims[own];
      i /= out[axis];
    }
    return offset;
  }
};

// A mask and an x that broadcast to the same shape.
template <typename Word>
struct Case {
  DDim dims;
  int64_t numel;
  Operand x_place;
  Operand mask_place;
  Array<Word> x;
  Array<uint8_t> mask;
  int64_t trues = 0;

  explicit Case(Random* random)
      : dims(RandomDims(random, RandomSize(random))),
        numel(common::product(dims)),
        x_place(random, dims),
        mask_place(random, dims),
        x(RandomBits<Word>(random, x_place.numel())),
        mask(mask_place.numel()) {
    // Often almost all True: then the values end in the middle of a vector.
    const int64_t density = OneIn(random, 2) ? 62 : Below(random, 65);
    for (int64_t i = 0; i < mask.size(); ++i) {
      mask[i] = Below(random, 64) < density ? 1 + Below(random, 255) : 0;
    }
    for (int64_t i = 0; i < numel; ++i) trues += IsTrue(i);
  }

  bool IsTrue(int64_t i) const { return mask[mask_place.At(i)] != 0; }
  const Word& X(int64_t i) const { return x[x_place.At(i)]; }
  ops::MaskView mask_view() const { return {mask.data(), mask_place.view()}; }
  ops::WordView<Word> x_view() const { return {x.data(), x_place.view()}; }
};

template <typename Word>
void CheckScatter(Random* random) {
  Case<Word> c(random);
  const int64_t missing =
      c.trues > 0 && OneIn(random, 4) ? 1 + Below(random, c.trues) : 0;
  const Array<Word> value = RandomBits<Word>(random, c.trues - missing);
  Array<Word> expected(c.numel);
  for (int64_t i = 0, k = 0; i < c.numel; ++i) {
    const bool take = c.IsTrue(i);
    expected[i] = take && k < value.size() ? value[k] : c.X(i);
    k += take;
  }
  const bool in_place = c.x_place.is_whole() && OneIn(random, 2);
  Array<Word> fresh(c.numel);
  Array<Word>* out = in_place ? &c.x : &fresh;
  const Array<Word> before = c.x;
  const int64_t wanted = ops::MaskedScatterCpu<Word>(out->data(),
                                                     c.numel,
                                                     c.x_view(),
                                                     c.mask_view(),
                                                     value.data(),
                                                     value.size(),
                                                     in_place);
  if (wanted != c.trues) {
    std::fprintf(stderr, "masked_scatter: a wrong number of Trues\n");
    std::exit(1);
  }
  if (missing == 0) {
    ExpectSame("masked_scatter", *out, expected);
  } else if (in_place) {
    ExpectSame("masked_scatter without enough values", *out, before);
  }
}

template <typename Word>
void CheckScatterGrad(Random* random) {
  const Case<Word> c(random);
  const int64_t spare = Below(random, 3) * Below(random, 50);
  Array<Word> out_grad = RandomBits<Word>(random, c.numel);
  Array<Word> x_grad(c.numel);
  Array<Word> value_grad(c.trues + spare);
  Array<Word> expected(c.numel);
  Array<Word> expected_value(c.trues + spare);
  int64_t k = 0;
  for (int64_t i = 0; i < c.numel; ++i) {
    expected[i] = c.IsTrue(i) ? Word{} : out_grad[i];
    if (c.IsTrue(i)) expected_value[k++] = out_grad[i];
  }
  while (k < expected_value.size()) expected_value[k++] = Word{};
  const bool with_value = !OneIn(random, 4);
  const bool in_place = OneIn(random, 2);
  Array<Word>* out = in_place ? &out_grad : &x_grad;
  ops::MaskedScatterGradCpu<Word>(out_grad.data(),
                                  c.numel,
                                  c.mask_view(),
                                  out->data(),
                                  with_value ? value_grad.data() : nullptr,
                                  value_grad.size());
  ExpectSame("masked_scatter_grad of x", *out, expected);
  if (with_value) {
    ExpectSame("masked_scatter_grad of value", value_grad, expected_value);
  }
}

// By a Tensor, or by its first element.
template <typename Word>
void CheckFill(Random* random) {
  const Case<Word> c(random);
  const Operand place(random, c.dims);
  const Array<Word> value = RandomBits<Word>(random, place.numel());
  Array<Word> filled(c.numel);
  Array<Word> expected(c.numel);
  for (int64_t i = 0; i < c.numel; ++i) {
    filled[i] = c.IsTrue(i) ? value[0] : c.X(i);
    expected[i] = c.IsTrue(i) ? value[place.At(i)] : c.X(i);
  }
  Array<Word> out(c.numel);
  ops::MaskedFillCpu<Word>(
      out.data(), c.numel, c.x_view(), c.mask_view(), value[0]);
  ExpectSame("masked_fill", out, filled);
  Array<Word> selected(c.numel);
  ops::MaskSelectCpu<Word>(selected.data(),
                           c.numel,
                           c.x_view(),
                           c.mask_view(),
                           {value.data(), place.view()});
  ExpectSame("masked_fill by a Tensor", selected, expected);
}

// Blocks stored as those of a large output are.
template <typename Word>
void CheckLargeBlocks(Random* random) {
  const Case<Word> c(random);
  const ops::TileStores stores(ops::StoresFor(int64_t{1} << 40));
  const Array<Word> value = RandomBits<Word>(random, c.numel);
  Array<Word> out(c.numel);
  const int64_t n = Below(random, c.numel + 1);
  stores.Copy(out.data(), value.data(), n * sizeof(Word));
  stores.Copy(out.data() + n, value.data() + n, (c.numel - n) * sizeof(Word));
  ExpectSame("a copy", out, value);
  if (!c.x_place.is_whole() || !c.mask_place.is_whole()) return;
  const Word* x = c.x.data();
  const uint8_t* mask = c.mask.data();
  Array<Word> filled(c.numel);
  Array<Word> selected(c.numel);
  Array<Word> scattered(c.numel);
  for (int64_t i = 0, k = 0; i < c.numel; ++i) {
    filled[i] = c.IsTrue(i) ? value[0] : x[i];
    selected[i] = c.IsTrue(i) ? value[i] : x[i];
    scattered[i] = c.IsTrue(i) ? value[k++] : x[i];
  }
  ops::FillBlock(stores, out.data(), x, mask, value[0], c.numel);
  ExpectSame("a large masked_fill", out, filled);
  ops::SelectBlock(stores, out.data(), x, mask, value.data(), c.numel);
  ExpectSame("a large masked_fill by a Tensor", out, selected);
  ops::ScatterBlock(
      stores, out.data(), x, mask, value.data(), c.trues, c.numel);
  ExpectSame("a large masked_scatter", out, scattered);
}

template <typename T>
void CheckSum(Random* random) {
  const Case<uint8_t> c(random);
  const Operand target(random, c.dims);
  const bool wanted = OneIn(random, 2);
  const Array<T> in = RandomDigits<T>(random, c.numel, 0);
  Array<T> expected(target.numel());
  for (int64_t i = 0; i < expected.size(); ++i) expected[i] = T{};
  for (int64_t i = 0; i < c.numel; ++i) {
    if (c.IsTrue(i) == wanted) expected[target.At(i)] += in[i];
  }
  Array<T> out(target.numel());
  ops::MaskedSum<T>(in.data(), c.dims, c.mask_view(), wanted, target.dims)
      .Run(out.data());
  ExpectSame("sum under a mask", out, expected);
}

template <typename Word>
int CheckWord(Random* random) {
  constexpr int kTimes = 4;
  for (int i = 0; i < kTimes; ++i) {
    CheckScatter<Word>(random);
    CheckScatterGrad<Word>(random);
    CheckFill<Word>(random);
    CheckLargeBlocks<Word>(random);
  }
  return 5 * kTimes;
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
