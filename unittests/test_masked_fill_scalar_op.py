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
from masked_fill_cases import reference_masked_fill_grad
from op_test import OpTest, convert_float_to_uint16, skip_check_grad_ci
from scatter_test_utils import random_array, random_numbers

import paddle

NO_GRADIENT = 'this dtype has no gradients'
ZERO_SIZE = 'a gradient of no element has nothing to compare numerically'


class TestMaskedFillScalarOp(OpTest):
    """x and mask of one shape, in float64."""

    x_shape = (12, 11)
    mask_shape = (12, 11)
    value = -2.5
    density = 0.5

    def setUp(self):
        self.op_type = 'masked_fill_scalar'
        self.python_api = paddle.masked_fill
        self.public_python_api = paddle.masked_fill
        self.rng = np.random.default_rng(2026)
        x = self.make(self.x_shape)
        self.dtype = x.dtype.type
        mask = np.asarray(self.rng.random(self.mask_shape) < self.density)
        self.inputs = {'x': x, 'mask': mask}
        self.attrs = {'value': self.value}
        out = np.where(mask, self.stored_value(), x)
        self.outputs = {'out': out.astype(x.dtype)}

    def make(self, shape):
        return random_numbers(self.rng, shape, 'float64')

    def stored_value(self):
        return np.asarray(self.value).astype(self.dtype)

    def test_check_output(self):
        self.check_output(check_pir=True)

    def test_check_grad(self):
        if not getattr(self, 'no_need_check_grad', False):
            self.check_grad(['x'], 'out', check_pir=True)


class TestMaskedFillScalarOpRowMask(TestMaskedFillScalarOp):
    mask_shape = (11,)


class TestMaskedFillScalarOpColumnMask(TestMaskedFillScalarOp):
    mask_shape = (12, 1)


class TestMaskedFillScalarOpMiddleAxisMask(TestMaskedFillScalarOp):
    x_shape = (4, 6, 5)
    mask_shape = (4, 1, 5)


class TestMaskedFillScalarOpMaskWithoutDims(TestMaskedFillScalarOp):
    mask_shape = ()
    density = 1.0


class TestMaskedFillScalarOpBroadcastX(TestMaskedFillScalarOp):
    x_shape = (110,)
    mask_shape = (3, 110)


class TestMaskedFillScalarOpBroadcastBothWays(TestMaskedFillScalarOp):
    x_shape = (120, 1)
    mask_shape = (1, 3)


class TestMaskedFillScalarOpXWithoutDims(TestMaskedFillScalarOp):
    x_shape = ()
    mask_shape = (11, 11)


class TestMaskedFillScalarOpNoDims(TestMaskedFillScalarOp):
    x_shape = ()
    mask_shape = ()
    density = 1.0


class TestMaskedFillScalarOpAllTrue(TestMaskedFillScalarOp):
    density = 1.0


class TestMaskedFillScalarOpAllFalse(TestMaskedFillScalarOp):
    density = 0.0


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestMaskedFillScalarOpNoElement(TestMaskedFillScalarOp):
    x_shape = (0, 11)
    mask_shape = (0, 11)


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestMaskedFillScalarOpMaskOfNoElement(TestMaskedFillScalarOp):
    x_shape = (1, 11)
    mask_shape = (0, 11)


class TestMaskedFillScalarFP16Op(TestMaskedFillScalarOp):
    def make(self, shape):
        return random_numbers(self.rng, shape, 'float16')


class TestMaskedFillScalarBF16Op(TestMaskedFillScalarOp):
    def make(self, shape):
        return convert_float_to_uint16(self.rng.standard_normal(shape))

    def stored_value(self):
        return convert_float_to_uint16(self.value)


class TestMaskedFillScalarComplexOp(TestMaskedFillScalarOp):
    def make(self, shape):
        return random_numbers(self.rng, shape, 'complex128')

    def test_check_grad(self):
        out_grad = self.make(self.outputs['out'].shape)
        x_grad, _ = reference_masked_fill_grad(
            self.x_shape, self.inputs['mask'], (), out_grad
        )
        self.check_grad(
            ['x'],
            'out',
            user_defined_grads=[x_grad],
            user_defined_grad_outputs=[out_grad],
            check_pir=True,
        )


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillScalarBoolOp(TestMaskedFillScalarOp):
    value = 1.0

    def make(self, shape):
        return random_array(self.rng, shape, 'bool')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillScalarUint8Op(TestMaskedFillScalarOp):
    value = 255.0

    def make(self, shape):
        return random_array(self.rng, shape, 'uint8')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillScalarInt8Op(TestMaskedFillScalarOp):
    value = -128.0

    def make(self, shape):
        return random_array(self.rng, shape, 'int8')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillScalarInt16Op(TestMaskedFillScalarOp):
    value = -32768.0

    def make(self, shape):
        return random_array(self.rng, shape, 'int16')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillScalarInt32Op(TestMaskedFillScalarOp):
    value = 2147483647.0

    def make(self, shape):
        return random_array(self.rng, shape, 'int32')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillScalarInt64Op(TestMaskedFillScalarOp):
    value = 2.0**53

    def make(self, shape):
        return random_array(self.rng, shape, 'int64')


if __name__ == '__main__':
    unittest.main()
