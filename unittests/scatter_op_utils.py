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
"""What the OpTests of scatter ops share: their two tests, and classes by table.

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
