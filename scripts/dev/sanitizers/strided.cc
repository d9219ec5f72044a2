// The core of select_scatter, diagonal_scatter and their gradients.

#include "check.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/strided_copy.h"

namespace ops = phi::funcs::scatter_ops;

namespace check {
namespace {

// Some elements of [rows, columns, inner], in the order of x: a column, or a
// diagonal of each plane; their values lie one after the other.
struct Case {
  int64_t rows, columns, inner;
  bool diagonal;
  int64_t first;  // the column, or the one in which the diagonal starts

  explicit Case(Random* random) {
    rows = 1 + Below(random, 400);
    columns = 1 + Below(random, 50);
    inner = OneIn(random, 2) ? 1 + Below(random, 300) : 1;
    diagonal = OneIn(random, 2);
    first = Below(random, columns);
  }

  int64_t numel() const { return rows * columns * inner; }
  int64_t lines() const {
    return diagonal ? std::min(rows, columns - first) : rows;
  }
  int64_t values() const { return lines() * inner; }
  int64_t At(int64_t line) const {
    return (line * columns + first + (diagonal ? line : 0)) * inner;
  }

  ops::StridedView view() const {
    ops::StridedView elements(first * inner);
    elements.Append(lines(), (columns + diagonal) * inner, inner);
    elements.Append(inner, 1, 1);
    return elements;
  }
};

template <typename Word>
int CheckWord(Random* random) {
  const Case c(random);
  Array<Word> x = RandomBits<Word>(random, c.numel());
  const Array<Word> values = RandomBits<Word>(random, c.values());
  const bool zeros = OneIn(random, 3);
  Array<Word> expected = x;
  Array<Word> gathered(c.values());
  for (int64_t line = 0; line < c.lines(); ++line) {
    for (int64_t i = 0; i < c.inner; ++i) {
      const int64_t from = line * c.inner + i;
      gathered[from] = x[c.At(line) + i];
      expected[c.At(line) + i] = zeros ? Word{} : values[from];
    }
  }
  Array<Word> found(c.values());
  ops::GatherView<Word>(found.data(), c.view(), x.data());
  ExpectSame("elements of a view", found, gathered);

  const bool in_place = OneIn(random, 2);
  Array<Word> fresh(c.numel());
  Array<Word>* out = in_place ? &x : &fresh;
  ops::CopyAndReplace<Word>(out->data(),
                            c.numel(),
                            x.data(),
                            c.view(),
                            zeros ? nullptr : values.data());
  ExpectSame("a view replaced", *out, expected);
  return 2;
}

}  // namespace

int CheckStrided(Random* random) {
  return CheckWord<uint8_t>(random) + CheckWord<uint32_t>(random) +
         CheckWord<ops::Bytes16>(random);
}

}  // namespace check
