// The hot loops of the CPU kernels on 2^18 float32 elements with one thread,
// each once, as a program for callgrind: the instructions of an element do not
// depend on what else the machine does. Each loop is a function of its own
// name, by which instructions.py finds it.

#include <cstdio>
#include <vector>

#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_fill.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/masked_scatter.h"
#include "paddle/phi/kernels/funcs/scatter_ops/cpu/strided_copy.h"
#include "paddle/phi/kernels/funcs/scatter_ops/index_reduce/cpu/grouped.h"
#include "paddle/phi/kernels/funcs/scatter_ops/shared/diagonal_view.h"

namespace {

namespace ops = phi::funcs::scatter_ops;

using Word = uint32_t;
using phi::DDim;

constexpr int64_t kSide = 512;
constexpr int64_t kNumel = kSide * kSide;

struct Data {
  DDim dims = common::make_ddim({kSide, kSide});
  DDim row_dims = common::make_ddim({kSide, 1});
  DDim line_dims = common::make_ddim({kSide});
  std::vector<float> x = std::vector<float>(kNumel, 1.0f);
  std::vector<float> value = std::vector<float>(kNumel, 2.0f);
  std::vector<float> out = std::vector<float>(kNumel, 0.0f);
  std::vector<float> value_grad = std::vector<float>(kNumel, 0.0f);
  std::vector<uint8_t> mask = std::vector<uint8_t>(kNumel);
  std::vector<int64_t> index = std::vector<int64_t>(kSide);

  Data() {
    uint32_t state = 1;
    const auto next = [&] { return (state = state * 1664525 + 1013904223); };
    for (uint8_t& flag : mask) flag = next() >> 31;
    for (int64_t& slot : index) slot = (next() >> 16) % kSide;
  }

  const Word* Words(const std::vector<float>& v) const {
    return reinterpret_cast<const Word*>(v.data());
  }
  Word* Out() { return reinterpret_cast<Word*>(out.data()); }
  ops::MaskView Mask(const DDim& shape) const {
    return {mask.data(), {dims, shape}};
  }
  ops::WordView<Word> X() const { return {Words(x), {dims, dims}}; }
};

void Scatter(Data* d, const DDim& mask) {
  ops::MaskedScatterCpu<Word>(d->Out(),
                              kNumel,
                              d->X(),
                              d->Mask(mask),
                              d->Words(d->value),
                              kNumel,
                              /*count_first=*/false);
}

void Replace(Data* d, const ops::StridedView& view) {
  ops::CopyAndReplace<Word>(
      d->Out(), kNumel, d->Words(d->x), view, d->Words(d->value));
}

template <ops::IndexReduce kReduce>
void Reduce(Data* data, int axis) {
  const ops::AxisView view(data->dims, data->dims, axis);
  const ops::IndexSlots slots =
      ops::ReadSlots("bench", data->index.data(), kSide, kSide);
  const ops::ReduceOperands<float> operands{
      view, slots, false, data->x.data(), data->value.data(), data->out.data()};
  ops::ReduceSlots<float, kReduce>(operands);
}

void ScatterGrad(Data* d) {
  ops::MaskedScatterGradCpu<Word>(d->Words(d->x),
                                  kNumel,
                                  d->Mask(d->dims),
                                  d->Out(),
                                  reinterpret_cast<Word*>(d->value_grad.data()),
                                  kNumel);
}

void Fill(Data* d) {
  static constexpr Word kFill{7};
  ops::MaskedFillCpu<Word>(d->Out(),
                           kNumel,
                           d->X(),
                           d->Mask(d->dims),
                           {&kFill, {d->dims, common::make_ddim({})}});
}

}  // namespace

#define LOOPS(LOOP)                                                    \
  LOOP(masked_scatter, Scatter(d, d->dims))                            \
  LOOP(masked_scatter_row_mask, Scatter(d, d->row_dims))               \
  LOOP(masked_scatter_grad, ScatterGrad(d))                            \
  LOOP(masked_fill, Fill(d))                                           \
  LOOP(select_scatter_axis_1,                                          \
       Replace(d, ops::SelectView(d->dims, d->line_dims, 1, 5)))       \
  LOOP(diagonal_scatter,                                               \
       Replace(d, ops::DiagonalView(d->dims, d->line_dims, 0, 0, 1)))  \
  LOOP(scatter_assign_axis_0, Reduce<ops::IndexReduce::kAssign>(d, 0)) \
  LOOP(scatter_sum_axis_0, Reduce<ops::IndexReduce::kSum>(d, 0))       \
  LOOP(scatter_sum_axis_1, Reduce<ops::IndexReduce::kSum>(d, 1))       \
  LOOP(scatter_amax_axis_0, Reduce<ops::IndexReduce::kAmax>(d, 0))     \
  LOOP(scatter_amax_axis_1, Reduce<ops::IndexReduce::kAmax>(d, 1))

#define DEFINE(name, work) \
  extern "C" __attribute__((noinline)) void loop_##name(Data* d) { work; }
#define RUN(name, work) loop_##name(&data);

LOOPS(DEFINE)

int main() {
  Data data;
  LOOPS(RUN)
  std::printf("%lld\n", static_cast<long long>(kNumel));
  return 0;
}
