// The custom operators behind static graphs and distributed tensors, and what
// Python asks of the operators while it builds a static graph.

#pragma once

#include <string>
#include <vector>

#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ext/spmd_infer.h"
#include "python/python_args.h"

namespace native_ops {

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

// entry.infer(shapes, dtypes, attrs...): the shapes of the outputs. Shapes may
// hold -1. Called before a static graph is built, where an exception out of C++
// would end the process.
Shapes InferForPython(const OpSpec& spec,
                      const Shapes& shapes,
                      const std::vector<int>& dtypes,
                      const py::args& attrs);

// entry.encode(attrs...): the attributes of the custom operator by name, in its
// order.
py::dict EncodeAttrs(const OpSpec& spec, const py::args& attrs);

// register_custom_ops(): makes the custom operators known to static graphs.
void RegisterCustomOps();

// An operator, its gradient, the gradient's gradient: the custom operator runs
// the last one, and has the name and attributes of the first.
using Chain = std::vector<const OpSpec*>;

// The functions of one custom operator.
void RunCustom(const Chain& chain, paddle::CustomOpKernelContext* context);
Shapes InferCustomShapes(const Chain& chain,
                         const Shapes& inputs,
                         const std::vector<paddle::any>& attrs);
std::vector<phi::DataType> InferCustomDtypes(
    const Chain& chain, const std::vector<phi::DataType>& inputs);

// Distributed tensors are replicated first, and so is every result.
phi::distributed::SpmdInfo InferCustomSpmd(
    const Chain& chain,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const std::vector<paddle::any>& attrs);

// Declares the custom operator, whose functions are still to be set.
paddle::OpMetaInfoBuilder DeclareCustom(const Chain& chain);

using SpecFunction = const OpSpec& (*)();

// An operator and its gradients, of two orders at most, as Paddle counts them
// from `Base`; of a gradient its own gradient, as Paddle asks whether there is
// one. It takes plain functions.
template <SpecFunction Base, size_t Order = 0>
void RegisterCustom(Chain known = {}) {
  using Anys = std::vector<paddle::any>;
  using Dtypes = std::vector<phi::DataType>;
  using SpmdInputs = std::vector<paddle::CustomSpmdInferTensorArg>;
  const SpecFunction next = known.empty() ? Base : known.back()->gradient;
  if (next == nullptr) return;
  known.push_back(&next());
  static const Chain chain = known;
  DeclareCustom(chain)
      .SetKernelFn([](paddle::CustomOpKernelContext* context) {
        RunCustom(chain, context);
      })
      .SetInferShapeFn([](const Shapes& shapes,
                          const std::vector<Shapes>&,
                          const Anys& attrs) {
        return InferCustomShapes(chain, shapes, attrs);
      })
      .SetInferDtypeFn(
          [](const Dtypes& dtypes, const std::vector<Dtypes>&, const Anys&) {
            return InferCustomDtypes(chain, dtypes);
          })
      .SetInferSpmdFn([](const SpmdInputs& inputs, const Anys& attrs) {
        return InferCustomSpmd(chain, inputs, attrs);
      });
  if constexpr (Order < 2) {
    if (Order == 0 || !chain.front()->is_backward) {
      RegisterCustom<Base, Order + 1>(chain);
    }
  }
}

}  // namespace native_ops
