// A call of scatter along an axis, for the checks of it and of its gradients.

#pragma once

#include <algorithm>
#include <vector>

#include "check.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/groups.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/shared/axis_view.h"

namespace check {

struct IndexedCase {
  int64_t outer, size, inner, length, spare;
  bool include_self;
  std::vector<int64_t> slots;

  explicit IndexedCase(Random* random) {
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
  phi::funcs::scatter_ops::AxisView view() const {
    return {common::make_ddim({outer, size, inner}),
            common::make_ddim({outer, length + spare, inner}),
            1};
  }

  int64_t X(int64_t o, int64_t slot, int64_t i) const {
    return (o * size + slot) * inner + i;
  }
  int64_t Update(int64_t o, int64_t position, int64_t i) const {
    return (o * (length + spare) + position) * inner + i;
  }

  // f(x offset, offsets of the updates) for each element of x.
  template <typename F>
  void ForEachElement(const F& f) const {
    std::vector<std::vector<int64_t>> positions(size);
    for (int64_t p = 0; p < length; ++p) positions[slots[p]].push_back(p);
    std::vector<int64_t> updates;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t slot = 0; slot < size; ++slot) {
        for (int64_t i = 0; i < inner; ++i) {
          updates.clear();
          for (const int64_t p : positions[slot]) {
            updates.push_back(Update(o, p, i));
          }
          f(X(o, slot, i), updates);
        }
      }
    }
  }
};

}  // namespace check
