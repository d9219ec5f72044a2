#pragma once

#include <string>

#include "paddle/phi/core/distributed/auto_parallel/dist_meta_tensor.h"
#include "paddle/phi/core/distributed/type_defs.h"

namespace phi::distributed {

// Any dim may be sharded. An operand is replicated along its broadcast dims,
// and its gradient is partial over the mesh dims that shard them in out_grad.
SpmdInfo MaskedFillInferSpmd(const DistMetaTensor& x,
                             const DistMetaTensor& mask,
                             const DistMetaTensor& value);

SpmdInfo MaskedFillInferSpmdReverse(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out);

SpmdInfo MaskedFillGradInferSpmd(const DistMetaTensor& x,
                                 const DistMetaTensor& mask,
                                 const DistMetaTensor& value,
                                 const DistMetaTensor& out_grad);

// All tensors are replicated: which element of value replaces a selected
// element depends on all mask elements before it.
SpmdInfo MaskedScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& mask,
                                const DistMetaTensor& value);

SpmdInfo MaskedScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& mask,
                                       const DistMetaTensor& value,
                                       const DistMetaTensor& out);

SpmdInfo MaskedScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& mask,
                                    const DistMetaTensor& value,
                                    const DistMetaTensor& out_grad);

// Any dim except `axis` may be sharded. Attributes of type int64_t are int in
// the rules below: auto parallel passes Python integers as int.
SpmdInfo SelectScatterInferSpmd(const DistMetaTensor& x,
                                const DistMetaTensor& values,
                                int axis,
                                int index);

SpmdInfo SelectScatterInferSpmdReverse(const DistMetaTensor& x,
                                       const DistMetaTensor& values,
                                       const DistMetaTensor& out,
                                       int axis,
                                       int index);

SpmdInfo SelectScatterGradInferSpmd(const DistMetaTensor& x,
                                    const DistMetaTensor& values,
                                    const DistMetaTensor& out_grad,
                                    int axis,
                                    int index);

// Any dim except `axis1` and `axis2` of x, and the last dim of y, may be
// sharded.
SpmdInfo DiagonalScatterInferSpmd(const DistMetaTensor& x,
                                  const DistMetaTensor& y,
                                  int offset,
                                  int axis1,
                                  int axis2);

SpmdInfo DiagonalScatterInferSpmdReverse(const DistMetaTensor& x,
                                         const DistMetaTensor& y,
                                         const DistMetaTensor& out,
                                         int offset,
                                         int axis1,
                                         int axis2);

SpmdInfo DiagonalScatterGradInferSpmd(const DistMetaTensor& x,
                                      const DistMetaTensor& y,
                                      const DistMetaTensor& out_grad,
                                      int offset,
                                      int axis1,
                                      int axis2);

// Rules of index_scatter and index_reduce. Any dim except `axis` may be
// sharded; index is replicated.
SpmdInfo IndexScatterInferSpmd(const DistMetaTensor& x,
                               const DistMetaTensor& index,
                               const DistMetaTensor& updates,
                               int axis,
                               const std::string& reduce,
                               bool include_self);

SpmdInfo IndexScatterInferSpmdReverse(const DistMetaTensor& x,
                                      const DistMetaTensor& index,
                                      const DistMetaTensor& updates,
                                      const DistMetaTensor& out,
                                      int axis,
                                      const std::string& reduce,
                                      bool include_self);

SpmdInfo IndexScatterGradInferSpmd(const DistMetaTensor& x,
                                   const DistMetaTensor& index,
                                   const DistMetaTensor& updates,
                                   const DistMetaTensor& out_grad,
                                   int axis,
                                   const std::string& reduce,
                                   bool include_self);

SpmdInfo IndexReduceGradInferSpmd(const DistMetaTensor& x,
                                  const DistMetaTensor& index,
                                  const DistMetaTensor& updates,
                                  const DistMetaTensor& out,
                                  const DistMetaTensor& out_grad,
                                  int axis,
                                  const std::string& reduce,
                                  bool include_self);

}  // namespace phi::distributed
