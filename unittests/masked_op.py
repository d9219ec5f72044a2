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
"""masked_scatter and masked_fill in OpTest form: tests for both."""

import numpy as np
from scatter_op_utils import ZERO_SIZE, OpChecks

import paddle


class MaskedOpChecks(OpChecks):
    """A test case sets `op_name`, and `expected` to a function of arrays."""

    x_shape = (12, 11)
    mask_shape = (12, 11)
    value_shape = None  # that of the result
    density = 0.5
    grad_inputs = ('x', 'value')

    def setUp(self):
        self.op_type = self.op_name
        self.python_api = getattr(paddle, self.op_name)
        self.public_python_api = self.python_api
        self.rng = np.random.default_rng(2026)
        shape = self.value_shape
        if shape is None:
            shape = np.broadcast_shapes(self.x_shape, self.mask_shape)
        x, value = self.make(self.x_shape), self.make(shape)
        self.dtype = x.dtype.type
        mask = np.asarray(self.rng.random(self.mask_shape) < self.density)
        self.inputs = {'x': x, 'mask': mask, 'value': value}
        self.outputs = {'out': self.expected(x, mask, value)}


# Shapes of x and mask that both take, for op_cases.
MASKED_SHAPES = {
    'RowMask': {'mask_shape': (11,)},
    'ColumnMask': {'mask_shape': (12, 1)},
    'MiddleAxisMask': {'x_shape': (10, 6, 11), 'mask_shape': (10, 1, 11)},
    'MaskWithoutDims': {'mask_shape': (), 'density': 1.0},
    'BroadcastX': {'x_shape': (110,), 'mask_shape': (3, 110)},
    'BroadcastBothWays': {'x_shape': (120, 1), 'mask_shape': (1, 3)},
    'XWithoutDims': {'x_shape': (), 'mask_shape': (11, 11)},
    'NoDims': {'x_shape': (), 'mask_shape': (), 'density': 1.0},
    'AllTrue': {'density': 1.0},
    'AllFalse': {'density': 0.0},
    'NoElement': {
        'x_shape': (0, 11),
        'mask_shape': (0, 11),
        'no_grad': ZERO_SIZE,
    },
    'MaskOfNoElement': {
        'x_shape': (1, 11),
        'mask_shape': (0, 11),
        'no_grad': ZERO_SIZE,
    },
}
