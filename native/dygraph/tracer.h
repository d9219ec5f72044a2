// The state of Paddle's dygraph tracer: gradient recording and
// paddle.amp.auto_cast.

#pragma once

#include <vector>

#include "python/python_args.h"

namespace native_ops {

bool HasGrad();

bool InDygraph();

// The inputs of a call, cast under auto_cast by the rules for the operator's
// name. In-place calls are not cast, as in Paddle's generated code.
class CastTensors {
 public:
  CastTensors(const OpSpec& spec, const TensorPointers& inputs);

  const TensorPointers& get() const { return tensors_; }

 private:
  TensorPointers tensors_;
  std::vector<paddle::Tensor> casts_;
};

}  // namespace native_ops
