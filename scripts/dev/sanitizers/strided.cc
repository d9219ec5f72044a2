// The core of select_scatter, diagonal_scatter and their gradients.

#include "call.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/strided_copy.h"

namespace ops = phi::funcs::scatter_ops;
using check::Array;
using check::ByWord;

namespace {

// Lines of `inner` elements each, as far apart as the stride says.
ops::StridedView ViewOf(const Array& values, int64_t first, int64_t stride) {
  const int64_t inner = values.dims[1];
  ops::StridedView view(first);
  view.Append(values.dims[0], stride, inner);
  view.Append(inner, 1, 1);
  return view;
}

}  // namespace

CHECKED void gather_view(
    int64_t bytes, Array values, Array x, int64_t first, int64_t stride) {
  ByWord(bytes, [&](auto word) {
    using Word = decltype(word);
    ops::GatherView<Word>(values, ViewOf(values, first, stride), x);
  });
}

// Zeros where values have no data.
CHECKED void replace_view(int64_t bytes,
                          Array out,
                          Array x,
                          Array values,
                          int64_t first,
                          int64_t stride) {
  ByWord(bytes, [&](auto word) {
    using Word = decltype(word);
    ops::CopyAndReplace<Word>(
        out, out.numel(), x, ViewOf(values, first, stride), values);
  });
}
