# Copyright (c) 2026 PaddlePaddle Authors. All Rights Reserved.
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.
import unittest

import numpy as np
from index_reduce_cases import expected_index_reduce, operands
from op_test import OpTest, convert_float_to_uint16, skip_check_grad_ci

from paddle import _C_ops

NO_GRADIENT = 'this dtype has no gradients'
ZERO_SIZE = 'a gradient of no element has nothing to compare numerically'


def index_reduce(x, index, updates, axis, reduce, include_self):
    return _C_ops.index_reduce(x, index, updates, axis, reduce, include_self)


class TestIndexReduceOp(OpTest):
    """Duplicates, negative values and untouched slots, in float64."""

    x_shape = (14, 11)
    axis = 0
    reduce = 'sum'
    include_self = True
    index_shape = (15,)
    updates_shape = (15, 11)
    index_dtype = 'int64'
    dtype_name = 'float64'
    grad_inputs = ('x', 'updates')

    def setUp(self):
        self.op_type = 'index_reduce'
        self.python_api = index_reduce
        self.rng = np.random.default_rng(2026)
        x, updates = self.make(self.x_shape), self.make(self.updates_shape)
        self.dtype = x.dtype.type
        self.inputs = {'x': x, 'index': self.make_index(), 'updates': updates}
        self.attrs = {
            'axis': self.axis,
            'reduce': self.reduce,
            'include_self': self.include_self,
        }
        out = expected_index_reduce(
            *self.inputs.values(), *self.attrs.values(), self.dtype_name
        )
        if self.dtype_name == 'bfloat16' and out.dtype != np.uint16:
            out = convert_float_to_uint16(out)
        self.outputs = {'out': out}

    def make(self, shape):
        return operands(self.rng, shape, self.reduce, self.dtype_name)

    def make_index(self):
        size = self.x_shape[self.axis]
        return np.asarray(
            self.rng.integers(-size, size, self.index_shape, self.index_dtype)
        )

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        if not getattr(self, 'no_need_check_grad', False):
            self.check_grad(list(self.grad_inputs), 'out', check_pir=True)


class TestIndexReduceOpSumWithoutSelf(TestIndexReduceOp):
    include_self = False


class TestIndexReduceOpAssign(TestIndexReduceOp):
    reduce = 'assign'


class TestIndexReduceOpMul(TestIndexReduceOp):
    reduce = 'mul'


class TestIndexReduceOpMulWithoutSelf(TestIndexReduceOpMul):
    include_self = False


class TestIndexReduceOpMean(TestIndexReduceOp):
    reduce = 'mean'


class TestIndexReduceOpMeanWithoutSelf(TestIndexReduceOpMean):
    include_self = False


class TestIndexReduceOpAmax(TestIndexReduceOp):
    reduce = 'amax'


class TestIndexReduceOpAmaxWithoutSelf(TestIndexReduceOpAmax):
    include_self = False


class TestIndexReduceOpAmin(TestIndexReduceOp):
    reduce = 'amin'


class TestIndexReduceOpAminWithoutSelf(TestIndexReduceOpAmin):
    include_self = False


class TestIndexReduceOpLastAxis(TestIndexReduceOp):
    x_shape = (13, 9)
    axis = 1
    updates_shape = (13, 15)
    reduce = 'mul'


class TestIndexReduceOpMiddleAxis(TestIndexReduceOp):
    x_shape = (3, 9, 5)
    axis = -2
    updates_shape = (3, 15, 5)
    reduce = 'amax'


class TestIndexReduceOpOneDim(TestIndexReduceOp):
    x_shape = (120,)
    index_shape = (130,)
    updates_shape = (130,)
    reduce = 'mean'


class TestIndexReduceOpColumnIndex(TestIndexReduceOp):
    index_shape = (15, 1)
    reduce = 'mean'


class TestIndexReduceOpIndexWithoutDims(TestIndexReduceOp):
    x_shape = (10, 10, 10)
    axis = 1
    index_shape = ()
    updates_shape = (10, 10)


class TestIndexReduceOpInt32Index(TestIndexReduceOp):
    index_dtype = 'int32'


class TestIndexReduceOpLongerUpdates(TestIndexReduceOp):
    updates_shape = (18, 11)
    reduce = 'mul'


class TestIndexReduceOpNoPosition(TestIndexReduceOp):
    index_shape = (0,)
    updates_shape = (0, 11)
    grad_inputs = ('x',)


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestIndexReduceOpNoElement(TestIndexReduceOp):
    x_shape = (14, 0)
    updates_shape = (15, 0)


class TestIndexReduceFP16Op(TestIndexReduceOp):
    dtype_name = 'float16'


class TestIndexReduceFP16OpMul(TestIndexReduceFP16Op):
    reduce = 'mul'


class TestIndexReduceBF16Op(TestIndexReduceOp):
    dtype_name = 'bfloat16'


class TestIndexReduceBF16OpMean(TestIndexReduceBF16Op):
    reduce = 'mean'
    include_self = False


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestIndexReduceInt32Op(TestIndexReduceOp):
    dtype_name = 'int32'
    reduce = 'mean'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestIndexReduceUint8Op(TestIndexReduceOp):
    dtype_name = 'uint8'
    reduce = 'amax'


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestIndexReduceBoolOp(TestIndexReduceOp):
    dtype_name = 'bool'


@skip_check_grad_ci(reason='numeric differences are of real numbers')
class TestIndexReduceComplexOp(TestIndexReduceOp):
    dtype_name = 'complex128'
    reduce = 'mul'


if __name__ == '__main__':
    unittest.main()
