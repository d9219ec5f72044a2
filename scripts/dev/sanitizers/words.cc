// The cores that move words: masked_scatter, masked_fill, select_scatter,
// diagonal_scatter and their gradients.

#include "cases.h"
#include "paddle/phi/common/complex.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/mask.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/strided_copy.h"

namespace check {
namespace {

// Often almost all True: then the values end in the middle of a vector.
Array<uint8_t> Flags(const Dims& dims) {
  const int64_t density = OneIn(2) ? 62 : Below(65);
  return Filled<uint8_t>(
      dims, [=] { return Below(64) < density ? 1 + Below(255) : 0; });
}

// A mask and an x that broadcast to the same shape.
template <typename Word>
struct Masked {
  Dims dims = RandomDims();
  Array<Word> x{Broadcasting(dims)};
  Array<uint8_t> mask = Flags(Broadcasting(dims));
  Array<Word> out{dims};

  template <typename T>
  ops::BroadcastView Within(const Array<T>& array) const {
    return {out.shape, array.shape};
  }
  ops::WordView<Word> Words(const Array<Word>& array) const {
    return {array, Within(array)};
  }
  ops::MaskView Mask() const { return {mask, Within(mask)}; }
  int64_t Scatter(const Array<Word>& to, const Array<Word>& value) const {
    return ops::MaskedScatterCpu<Word>(
        to, to.numel, Words(x), Mask(), value, value.numel, &to == &x);
  }
};

template <typename Word>
void Scatter() {
  const Masked<Word> c;
  // Without enough values, it only says how many are wanted.
  const int64_t wanted = c.Scatter(c.out, Array<Word>({0}));
  const int64_t missing = wanted && OneIn(4) ? 1 + Below(wanted) : 0;
  const Array<Word> value({wanted - missing});
  const bool in_place = c.x.shape == c.out.shape && OneIn(2);
  const auto& out = in_place ? c.x : c.out;
  if (c.Scatter(out, value) != wanted) throw std::logic_error("wanted");
  if (in_place || !missing) out.Note();
}

template <typename Word>
void ScatterGrad() {
  const Masked<Word> c;
  const int64_t wanted = c.Scatter(c.out, Array<Word>({0}));
  const Array<Word> out_grad(c.dims);
  const auto& x_grad = OneIn(2) ? out_grad : c.out;
  const Array<Word> value_grad({wanted + Below(3) * Below(50)});
  Word* const in_x = x_grad.If(!OneIn(4));
  ops::MaskedScatterGradCpu<Word>(
      out_grad, c.out.numel, c.Mask(), in_x, value_grad, value_grad.numel);
  if (in_x) x_grad.Note();
  value_grad.Note();
}

// By a Tensor, and by its first element.
template <typename Word>
void Fill() {
  const Masked<Word> c;
  const Array<Word> value(Broadcasting(c.dims));
  const ops::BroadcastView first(c.out.shape, common::make_ddim({}));
  for (const auto& view : {c.Words(value), {value, first}}) {
    ops::MaskedFillCpu<Word>(c.out, c.out.numel, c.Words(c.x), c.Mask(), view);
    c.out.Note();
  }
}

// Each of the loops stores as for a large output: value in two parts, a choice
// by a mask of the same shape, and the values in order.
template <typename Word>
void LargeBlocks() {
  const int64_t n = common::product(common::make_ddim(RandomDims()));
  const Array<Word> x({n}), value({n});
  const auto mask = Flags({n});
  const Array<Word> copied({n}), selected({n}), scattered({n});
  const ops::TileStores stores(ops::StoresFor(int64_t{1} << 40));
  const int64_t part = n / 3;
  stores.Copy(copied, value, part * sizeof(Word));
  stores.Copy(copied + part, value + part, (n - part) * sizeof(Word));
  const auto store = [&](Word* out, const auto& f) {
    ops::StoreBlocks(stores, out, 0, n, n, f);
  };
  store(selected, [&](Word* to, int64_t b, int64_t m) {
    ops::SelectEach<Word>(to, x + b, mask + b, value + b, m);
  });
  int64_t k = 0;
  store(scattered, [&](Word* to, int64_t b, int64_t m) {
    k += ops::ScatterEach<Word>(to, x + b, mask + b, value + k, n - k, m);
  });
  copied.Note();
  selected.Note();
  scattered.Note();
}

template <typename T>
void Sum() {
  const Masked<uint8_t> c;
  const auto in = Numbers<T>(c.dims);
  const Array<T> out(Broadcasting(c.dims));
  ops::MaskedSum<T>{
      in, in.numel, c.Mask(), OneIn(2), {in.shape, out.shape}, out.numel}
      .Run(out);
  out.Note();
}

// A column of [rows, columns, inner], or a diagonal, read and replaced.
template <typename Word>
void View() {
  const int64_t rows = 1 + Below(400), columns = 1 + Below(50);
  const int64_t inner = OneIn(2) ? 1 + Below(300) : 1;
  const int64_t diagonal = Below(2), first = Below(columns);
  const int64_t lines = diagonal ? std::min(rows, columns - first) : rows;
  ops::StridedView view(first * inner);
  view.Append(lines, (columns + diagonal) * inner, inner);
  view.Append(inner, 1, 1);
  const Array<Word> x({rows, columns, inner});
  const Array<Word> gathered({lines, inner});
  ops::GatherView<Word>(gathered, view, x, x.numel);
  gathered.Note();
  const Array<Word> values({lines, inner});
  const Array<Word> other({rows, columns, inner});
  const auto& out = OneIn(2) ? x : other;
  // Zeros where there are no values.
  ops::CopyAndReplace<Word>(out, out.numel, x, view, values.If(!OneIn(3)));
  out.Note();
}

template <typename Word>
void CheckWord() {
  for (int i = 0; i < 4; ++i) {
    Scatter<Word>();
    ScatterGrad<Word>();
    Fill<Word>();
    if (i % 2) LargeBlocks<Word>();
  }
  View<Word>();
  cases += 15;
}

}  // namespace

void CheckWords() {
  CheckWord<uint8_t>();
  CheckWord<uint16_t>();
  CheckWord<uint32_t>();
  CheckWord<uint64_t>();
  CheckWord<ops::Bytes16>();
  Sum<float>();
  Sum<double>();
  Sum<phi::dtype::complex<float>>();
  cases += 3;
}

}  // namespace check
