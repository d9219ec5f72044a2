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
from op_test import OpTest
from scatter_op_utils import (
    MASKED_SHAPES,
    ZERO_SIZE,
    MaskedOpChecks,
    dtype_cases,
    op_cases,
)
from scatter_test_utils import OnCpu


class TestMaskedFillOp(MaskedOpChecks, OpTest):
    op_name = 'masked_fill'

    def setUp(self):
        super().setUp()
        # Paddle's own symbolic shape of masked_fill is x's, whatever the mask's
        self.check_symbol_infer = (
            self.outputs['out'].shape == self.inputs['x'].shape
        )

    def expected(self, x, mask, value):
        return np.where(mask, value, x)


class TestMaskedFillOpValueWithoutDims(OnCpu, TestMaskedFillOp):
    value_shape = ()


class TestMaskedFillOpValueRow(TestMaskedFillOp):
    x_shape = (3, 110)
    mask_shape = (3, 110)
    value_shape = (110,)


ONE_MASK = {'OneValueForAll': {'mask_shape': (), 'density': 1.0}}
VALUE_SHAPES = {
    'ValueColumn': {
        'x_shape': (110, 3),
        'mask_shape': (110, 3),
        'value_shape': (110, 1),
    },
    'MiddleAxes': {
        'x_shape': (10, 6, 11),
        'mask_shape': (10, 1, 11),
        'value_shape': (10, 1, 11),
    },
    'NoElementRow': {
        'x_shape': (0, 11),
        'mask_shape': (0, 11),
        'value_shape': (11,),
        'no_grad': ZERO_SIZE,
    },
    'MaskOfNoElementOneValue': {
        'x_shape': (1, 11),
        'mask_shape': (0, 11),
        'value_shape': (1, 1),
        'no_grad': ZERO_SIZE,
    },
}

globals().update(dtype_cases(TestMaskedFillOp))
globals().update(dtype_cases(TestMaskedFillOpValueWithoutDims))
globals().update(dtype_cases(TestMaskedFillOpValueRow))
globals().update(op_cases(TestMaskedFillOp, MASKED_SHAPES))
globals().update(op_cases(TestMaskedFillOp, VALUE_SHAPES))
globals().update(op_cases(TestMaskedFillOpValueWithoutDims, ONE_MASK))


if __name__ == '__main__':
    unittest.main()
