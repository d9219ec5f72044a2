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

"""masked_fill in OpTest form: every dtype, every way to broadcast."""

import unittest

import numpy as np
from op_test import OpTest, convert_float_to_uint16, skip_check_grad_ci
from scatter_test_utils import random_array, random_numbers

import paddle

NO_GRADIENT = 'this dtype has no gradients'
ZERO_SIZE = 'a gradient of no element has nothing to compare numerically'


class TestMaskedFillNativeOp(OpTest):
    """x, mask and value of one shape, in float64."""

    x_shape = (12, 11)
    mask_shape = (12, 11)
    value_shape = (12, 11)
    density = 0.5
    # Paddle's own symbolic shape of masked_fill is x's, whatever the mask's is
    check_symbol_infer = True

    def setUp(self):
        self.op_type = 'masked_fill'
        self.python_api = paddle.masked_fill
        self.public_python_api = paddle.masked_fill
        self.rng = np.random.default_rng(2026)
        x, value = self.make(self.x_shape), self.make(self.value_shape)
        self.dtype = x.dtype.type
        mask = np.asarray(self.rng.random(self.mask_shape) < self.density)
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': np.where(mask, value, x)}

    def make(self, shape):
        return random_numbers(self.rng, shape, 'float64')

    def test_check_output(self):
        self.check_output(
            check_pir=True, check_symbol_infer=self.check_symbol_infer
        )

    def test_check_grad(self):
        if not getattr(self, 'no_need_check_grad', False):
            self.check_grad(['x', 'value'], 'out', check_pir=True)


class TestMaskedFillNativeOpValueWithoutDims(TestMaskedFillNativeOp):
    value_shape = ()


class TestMaskedFillNativeOpOneValueForAll(TestMaskedFillNativeOp):
    value_shape = ()
    mask_shape = ()
    density = 1.0


class TestMaskedFillNativeOpValueRow(TestMaskedFillNativeOp):
    x_shape = (3, 110)
    mask_shape = (3, 110)
    value_shape = (110,)


class TestMaskedFillNativeOpValueColumn(TestMaskedFillNativeOp):
    x_shape = (110, 3)
    mask_shape = (110, 3)
    value_shape = (110, 1)


class TestMaskedFillNativeOpRowMask(TestMaskedFillNativeOp):
    mask_shape = (11,)


class TestMaskedFillNativeOpColumnMask(TestMaskedFillNativeOp):
    mask_shape = (12, 1)


class TestMaskedFillNativeOpMiddleAxes(TestMaskedFillNativeOp):
    x_shape = (10, 6, 11)
    mask_shape = (10, 1, 11)
    value_shape = (10, 1, 11)


class TestMaskedFillNativeOpMaskWithoutDims(TestMaskedFillNativeOp):
    mask_shape = ()
    density = 1.0


class TestMaskedFillNativeOpBroadcastX(TestMaskedFillNativeOp):
    check_symbol_infer = False
    x_shape = (110,)
    mask_shape = (3, 110)
    value_shape = (3, 110)


class TestMaskedFillNativeOpBroadcastBothWays(TestMaskedFillNativeOp):
    check_symbol_infer = False
    x_shape = (120, 1)
    mask_shape = (1, 3)
    value_shape = (120, 1)


class TestMaskedFillNativeOpXWithoutDims(TestMaskedFillNativeOp):
    check_symbol_infer = False
    x_shape = ()
    mask_shape = (11, 11)
    value_shape = (11, 11)


class TestMaskedFillNativeOpNoDims(TestMaskedFillNativeOp):
    x_shape = ()
    mask_shape = ()
    value_shape = ()
    density = 1.0


class TestMaskedFillNativeOpAllTrue(TestMaskedFillNativeOp):
    density = 1.0


class TestMaskedFillNativeOpAllFalse(TestMaskedFillNativeOp):
    density = 0.0


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestMaskedFillNativeOpNoElement(TestMaskedFillNativeOp):
    x_shape = (0, 11)
    mask_shape = (0, 11)
    value_shape = (11,)


@skip_check_grad_ci(reason=ZERO_SIZE)
class TestMaskedFillNativeOpMaskOfNoElement(TestMaskedFillNativeOp):
    check_symbol_infer = False
    x_shape = (1, 11)
    mask_shape = (0, 11)
    value_shape = (1, 1)


class TestMaskedFillNativeFP16Op(TestMaskedFillNativeOp):
    def make(self, shape):
        return random_numbers(self.rng, shape, 'float16')


class TestMaskedFillNativeBF16Op(TestMaskedFillNativeOp):
    def make(self, shape):
        return convert_float_to_uint16(self.rng.standard_normal(shape))


class TestMaskedFillNativeComplex128Op(TestMaskedFillNativeOp):
    x_shape = (3, 110)
    mask_shape = (3, 110)
    value_shape = (1, 110)

    def make(self, shape):
        return random_numbers(self.rng, shape, 'complex128')


class TestMaskedFillNativeComplex64Op(TestMaskedFillNativeOp):
    value_shape = ()

    def make(self, shape):
        return random_numbers(self.rng, shape, 'complex64')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillNativeBoolOp(TestMaskedFillNativeOp):
    value_shape = (12, 1)

    def make(self, shape):
        return random_array(self.rng, shape, 'bool')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillNativeUint8Op(TestMaskedFillNativeOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'uint8')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillNativeInt8Op(TestMaskedFillNativeOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'int8')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillNativeInt16Op(TestMaskedFillNativeOp):
    value_shape = (11,)

    def make(self, shape):
        return random_array(self.rng, shape, 'int16')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillNativeInt32Op(TestMaskedFillNativeOp):
    def make(self, shape):
        return random_array(self.rng, shape, 'int32')


@skip_check_grad_ci(reason=NO_GRADIENT)
class TestMaskedFillNativeInt64Op(TestMaskedFillNativeOp):
    value_shape = ()

    def make(self, shape):
        return random_array(self.rng, shape, 'int64')


if __name__ == '__main__':
    unittest.main()
