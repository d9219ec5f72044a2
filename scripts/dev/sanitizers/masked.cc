// The cores of masked_scatter, masked_fill and their gradients.

#include "call.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_fill.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_sum.h"

namespace ops = phi::funcs::scatter_ops;
using check::Array;
using check::ByWord;

namespace {

ops::MaskView MaskOf(const Array& mask, const Array& out) {
  return {mask.as<uint8_t>(), mask.within(out)};
}

template <typename Word>
ops::WordView<Word> WordsOf(const Array& x, const Array& out) {
  return {x.as<Word>(), x.within(out)};
}

}  // namespace

// How many values are wanted.
CHECKED int64_t
masked_scatter(int64_t bytes, Array out, Array x, Array mask, Array value) {
  int64_t wanted = 0;
  ByWord(bytes, [&](auto word) {
    using Word = decltype(word);
    wanted = ops::MaskedScatterCpu<Word>(out.as<Word>(),
                                         out.numel(),
                                         WordsOf<Word>(x, out),
                                         MaskOf(mask, out),
                                         value.as<Word>(),
                                         value.numel(),
                                         x.data == out.data);
  });
  return wanted;
}

CHECKED void masked_scatter_grad(
    int64_t bytes, Array x_grad, Array value_grad, Array out_grad, Array mask) {
  ByWord(bytes, [&](auto word) {
    using Word = decltype(word);
    ops::MaskedScatterGradCpu<Word>(out_grad.as<Word>(),
                                    out_grad.numel(),
                                    MaskOf(mask, out_grad),
                                    x_grad.as<Word>(),
                                    value_grad.as<Word>(),
                                    value_grad.numel());
  });
}

// With the first element of value.
CHECKED void masked_fill(
    int64_t bytes, Array out, Array x, Array mask, Array value) {
  ByWord(bytes, [&](auto word) {
    using Word = decltype(word);
    ops::MaskedFillCpu<Word>(
        out.as<Word>(),
        out.numel(),
        WordsOf<Word>(x, out),
        MaskOf(mask, out),
        {value.as<Word>(), {out.shape(), common::make_ddim({})}});
  });
}

CHECKED void masked_select(
    int64_t bytes, Array out, Array x, Array mask, Array value) {
  ByWord(bytes, [&](auto word) {
    using Word = decltype(word);
    ops::MaskedFillCpu<Word>(out.as<Word>(),
                             out.numel(),
                             WordsOf<Word>(x, out),
                             MaskOf(mask, out),
                             WordsOf<Word>(value, out));
  });
}

// Each of the loops stores as for a large output: `copied` is value in two
// parts, the others are by a mask of the same shape: a choice, and the values
// in order.
CHECKED void large_blocks(int64_t bytes,
                          Array copied,
                          Array selected,
                          Array scattered,
                          Array x,
                          Array mask,
                          Array value) {
  const ops::TileStores stores(ops::StoresFor(int64_t{1} << 40));
  ByWord(bytes, [&](auto word) {
    using Word = decltype(word);
    const int64_t n = x.numel();
    const int64_t part = n / 3;
    auto* to = copied.as<Word>();
    const auto* from = value.as<Word>();
    const auto* flags = mask.as<uint8_t>();
    stores.Copy(to, from, part * bytes);
    stores.Copy(to + part, from + part, (n - part) * bytes);
    const auto* in = x.as<Word>();
    ops::SelectBlock(stores, selected.as<Word>(), in, flags, from, n);
    ops::ScatterBlock(stores, scattered.as<Word>(), in, flags, from, n, n);
  });
}

#define SUM(name, T)                                                   \
  CHECKED void name(Array in, Array mask, bool wanted, Array out) {    \
    ops::MaskedSum<T>(                                                 \
        in.as<T>(), in.shape(), MaskOf(mask, in), wanted, out.shape()) \
        .Run(out.as<T>());                                             \
  }

SUM(sum_float32, float)
SUM(sum_float64, double)
SUM(sum_complex64, phi::dtype::complex<float>)
