// Custom operators that run the operators in static graphs, and functions that
// Python calls while it builds a graph.

#pragma once

#include <string>
#include <vector>

#include "paddle/phi/api/ext/op_meta_info.h"
#include "paddle/phi/api/ext/spmd_infer.h"
#include "python/python_args.h"

namespace native_ops {

using Shape = std::vector<int64_t>;
using Shapes = std::vector<Shape>;

// entry.infer(tensors, attrs): infers the shapes of the outputs of a call with
// Tensors or Values; unknown dims are -1. Python calls it before the graph
// builder, in which an exception would terminate the process.
Shapes InferForPython(const OpSpec& spec,
                      const py::list& tensors,
                      const py::list& attrs);

// An operator and its gradients of increasing order, up to the entry that a
// custom operator runs. The first entry has its name and attributes.
using Chain = std::vector<const OpSpec*>;

void RunCustom(const Chain& chain, paddle::CustomOpKernelContext* context);
Shapes InferCustomShapes(const Chain& chain,
                         const Shapes& inputs,
                         const std::vector<paddle::any>& attrs);
std::vector<phi::DataType> InferCustomDtypes(
    const Chain& chain, const std::vector<phi::DataType>& inputs);

// Infers replicated inputs and outputs.
phi::distributed::SpmdInfo InferCustomSpmd(
    const Chain& chain,
    const std::vector<paddle::CustomSpmdInferTensorArg>& inputs,
    const std::vector<paddle::any>& attrs);

// Declares the custom operator; the caller sets its functions.
paddle::OpMetaInfoBuilder DeclareCustom(const Chain& chain);

using SpecFunction = const OpSpec& (*)();

// Registers the operator `Base` with gradients of two orders, the maximum for a
// custom operator. If `Base` is a gradient itself, it has one order, by which
// Paddle tests for differentiability. The template creates the plain function
// pointers that Paddle requires.
template <SpecFunction Base, size_t Order = 0>
void RegisterCustom(Chain prefix = {}) {
  using Anys = std::vector<paddle::any>;
  using Dtypes = std::vector<phi::DataType>;
  using SpmdInputs = std::vector<paddle::CustomSpmdInferTensorArg>;
  const SpecFunction next = prefix.empty() ? Base : prefix.back()->gradient;
  if (next == nullptr) return;
  prefix.push_back(&next());
  static const Chain chain = prefix;
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
