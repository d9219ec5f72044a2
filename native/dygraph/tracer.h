// What Paddle's tracer of dygraph knows of how calls are run now: whether
// gradients are recorded, and paddle.amp.auto_cast.

#pragma once

#include <vector>

#include "python/python_args.h"

namespace native_ops {

// Whether dygraph records gradients now.
bool HasGrad();

// Whether no static graph is built now.
bool InDygraph();

// The Tensors of a call: under auto_cast in the dtype that Paddle's rules give
// to an operator of that name. Like Paddle's own, in-place calls do without.
class CastTensors {
 public:
  CastTensors(const OpSpec& spec, const TensorPointers& given);

  const TensorPointers& get() const { return tensors_; }

 private:
  TensorPointers tensors_;
  std::vector<paddle::Tensor> casts_;
};

}  // namespace native_ops
