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
from masked_scatter_cases import fast_masked_scatter
from op_test import OpTest, convert_float_to_uint16, skip_check_grad_ci
from scatter_test_utils import random_array, random_numbers

import paddle

NO_GRADIENT = 'this dtype has no gradients'
ZERO_SIZE = 'a gradient of no element has nothing to compare numerically'


class TestMaskedScatterOp(OpTest):
    """x, mask and value of one shape, in float64."""

    x_shape = (12, 11)
    mask_shape = (12, 11)
    value_shape = (12, 11)
    density = 0.5
    grad_inputs = ('x', 'value')

    def setUp(self):
        self.op_type = 'masked_scatter'
        self.python_api = paddle.masked_scatter
        self.public_python_api = paddle.masked_scatter
        self.rng = np.random.default_rng(2026)
        x, value = self.make(self.x_shape), self.make(self.value_shape)
        self.dtype = x.dtype.type
        mask = np.asarray(self.rng.random(self.mask_shape) < self.density)
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': fast_masked_scatter(x, mask, value)}

    def make(self, shape):
        return random_numbers(self.rng, shape, 'float64')

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        if not getattr(self, 'no_need_check_grad', False):
            self.check_grad(list(self.grad_inputs), 'out', check_pir=True)


class TestMaskedScatterOpRowMask(TestMaskedScatterOp):
    mask_shape = (11,)


class TestMaskedScatterOpColumnMask(TestMaskedScatterOp):
    mask_shape = (12, 1)


class TestMaskedScatterOpMiddleAxisMask(TestMaskedScatterOp):
    x_shape = (4, 6, 5)
    mask_shape = (4, 1, 5)
    value_shape = (120,)


class TestMaskedScatterOpMaskWithoutDims(TestMaskedScatterOp):
    mask_shape = ()
    density = 1.0


class TestMaskedScatterOpBroadcastX(TestMaskedScatterOp):
    x_shape = (110,)
    mask_shape = (3, 110)
    value_shape = (330,)


class TestMaskedScatterOpBroadcastBothWays(TestMaskedScatterOp):
    x_shape = (120, 1)
    mask_shape = (1, 3)
    value_shape = (360,)


class TestMaskedScatterOpXWithoutDims(TestMaskedScatterOp):
    x_shape = ()
    mask_shape = (11, 11)
    value_shape = (121,)


class TestMaskedScatterOpNoDims(TestMaskedScatterOp):
    x_shape = ()
    mask_shape = ()
    value_shape = ()
    density = 1.0


class TestMaskedScatterOpAllTrue(TestMaskedScatterOp):
    density = 1.0


class TestMaskedScatterOpAllFalse(TestMaskedScatterOp):
    density = 0.0


class TestMaskedScatterOpNoValue(TestMaskedScatterOp):
    value_shape = (0,)
    density = 0.0
    grad_inputs = ('x',)


class TestMaskedScatterOpMoreValuesThanNeeded(TestMaskedScatterOp):
    value_shape = (5, 7, 8)


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestMaskedScatterOpNoElement(TestMaskedScatterOp):
    x_shape = (0, 11)
    mask_shape = (0, 11)


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestMaskedScatterOpMaskOfNoElement(TestMaskedScatterOp):
    x_shape = (1, 11)
    mask_shape = (0, 11)


class TestMaskedScatterFP16Op(TestMaskedScatterOp):
    def make(self, shape):
        return random_numbers(self.rng, shape, 'float16')


class TestMaskedScatterBF16Op(TestMaskedScatterOp):
    def make(self, shape):
        return convert_float_to_uint16(self.rng.standard_normal(shape))


class TestMaskedScatterComplexOp(TestMaskedScatterOp):
    def make(self, shape):
        return random_numbers(self.rng, shape, 'complex128')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedScatterBoolOp(TestMaskedScatterOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'bool')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedScatterUint8Op(TestMaskedScatterOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'uint8')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedScatterInt8Op(TestMaskedScatterOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'int8')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedScatterInt16Op(TestMaskedScatterOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'int16')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedScatterInt32Op(TestMaskedScatterOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'int32')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedScatterInt64Op(TestMaskedScatterOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'int64')


if __name__ == '__main__':
    unittest.main()
