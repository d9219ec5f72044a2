// The number of a masked_fill as a Tensor.

#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>

#include "paddle/phi/api/include/tensor.h"

namespace native_ops {

// A 0-D Tensor of that data type which nobody may write; null for numbers whose
// rounding is the matter of the Python function. To make one takes as long as
// to fill a small x, so some are kept; the caller shares it, since another
// thread may have it replaced by another number as soon as the GIL is released.
std::shared_ptr<paddle::Tensor> FillValue(phi::DataType dtype,
                                          PyObject* number);

}  // namespace native_ops
