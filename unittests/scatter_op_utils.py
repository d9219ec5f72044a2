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
"""What the OpTests of scatter ops share: tests, inputs, and classes by table.

A row of a table becomes a class of its own, so that a failure names the row and
each class has its own rule about gradients.
"""

import numpy as np
from op_test import skip_check_grad_ci
from scatter_test_utils import (
    ALL_DTYPES,
    GRAD_DTYPES,
    random_array,
    random_numbers,
)

import paddle

NO_GRADIENT = 'this dtype has no gradients'
IN_FLOAT64 = (
    'Paddle wants the gradient checked in float64, as another class does'
)
ZERO_SIZE = 'a gradient of no element has nothing to compare numerically'


class OpChecks:
    """A subclass makes inputs and outputs in setUp, and is an OpTest too."""

    dtype_name = 'float64'
    grad_inputs = ()
    check_symbol_infer = True

    def make(self, shape):
        make = random_array
        if self.dtype_name in GRAD_DTYPES:
            make = random_numbers  # which a numeric gradient can be taken of
        return np.asarray(make(self.rng, shape, self.dtype_name))

    def test_check_output(self):
        self.check_output(
            check_pir=True, check_symbol_infer=self.check_symbol_infer
        )

    def test_check_grad(self):
        if not getattr(self, 'no_need_check_grad', False):
            self.check_grad(list(self.grad_inputs), 'out', check_pir=True)


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


class ViewOpChecks(OpChecks):
    """A test case sets `op`, `x_shape`, `options`, and `row`, which makes a Case
    of a name, a shape and options."""

    grad_inputs = None  # x and the values

    def setUp(self):
        self.op_type = self.op.name
        self.python_api = self.op.function
        self.public_python_api = self.op.function
        self.rng = np.random.default_rng(2026)
        case = type(self).row('', self.x_shape, *self.options)
        arrays = {name: self.make(s) for name, s in case.inputs.items()}
        self.dtype = arrays['x'].dtype.type
        self.inputs, self.attrs = arrays, case.options
        self.grad_inputs = self.grad_inputs or tuple(arrays)
        self.outputs = {'out': case.reference(self.op, arrays)}


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


def op_cases(base, table):
    """{name: class} for the globals() of the file that `base` is in.

    `table` is {end of the class name: attributes}; the attribute no_grad is the
    reason why there is no gradient to check.
    """
    found = {}
    for ending, attributes in table.items():
        own = dict(attributes, __module__=base.__module__)
        reason = own.pop('no_grad', None)
        name = base.__name__ + ending
        found[name] = type(name, (base,), own)
        if reason:
            skip_check_grad_ci(reason=reason)(found[name])
    return found


def dtype_cases(base, dtypes=ALL_DTYPES):
    """op_cases with one row for each dtype that is not that of `base`."""
    table = {
        dtype.capitalize(): {'dtype_name': dtype, 'no_grad': no_grad(dtype)}
        for dtype in dtypes
        if dtype != base.dtype_name
    }
    return op_cases(base, table)


def no_grad(dtype):
    if dtype == 'float32':
        return IN_FLOAT64
    return None if dtype in GRAD_DTYPES else NO_GRADIENT
