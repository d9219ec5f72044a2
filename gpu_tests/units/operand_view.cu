// Where a broadcast operand holds an element, for dims that no memory holds.

#include <cstdio>

#include "paddle/phi/kernels/funcs/scatter_ops/gpu/operand.cu.h"

namespace ops = phi::funcs::scatter_ops;

namespace {

constexpr int64_t kLong = (int64_t{1} << 32) + 8;

__global__ void Locate(ops::OperandView view, int64_t i, int64_t* offset) {
  *offset = view.Offset(i);
}

// expected(i) is where the operand holds what element i of the output takes.
template <typename F>
bool IsRight(const common::DDim& out,
             const common::DDim& operand,
             const F& expected) {
  const int64_t size = common::product(out);
  const ops::OperandView view({out, operand});
  for (int64_t i : {int64_t{0}, int64_t{1}, kLong - 1, kLong, size - 1}) {
    if (i >= size) continue;
    int64_t offset = -1;
    Locate<<<1, 1>>>(view, i, &offset);
    if (offset != expected(i)) {
      std::printf("element %lld is looked for at %lld\n",
                  static_cast<long long>(i),
                  static_cast<long long>(offset));
      return false;
    }
  }
  return true;
}

}  // namespace

int main() {
  using common::make_ddim;
  const bool right = IsRight(make_ddim({2, kLong}),
                             make_ddim({1, kLong}),
                             [](int64_t i) { return i % kLong; }) &&
                     IsRight(make_ddim({kLong, 3}),
                             make_ddim({kLong, 1}),
                             [](int64_t i) { return i / 3; }) &&
                     IsRight(make_ddim({2, kLong}),
                             make_ddim({2, 1}),
                             [](int64_t i) { return i / kLong; }) &&
                     IsRight(make_ddim({2, 9}),
                             make_ddim({1, 9}),
                             [](int64_t i) { return i % 9; });
  return right ? 0 : 1;
}
