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
"""diagonal_scatter in OpTest form: every dtype, axis and edge."""

import unittest

from op_test import OpTest
from scatter_op_utils import (
    ZERO_SIZE,
    ViewOpChecks,
    dtype_cases,
    op_cases,
)
from view_scatter_cases import DIAGONAL, diagonal_case


class TestDiagonalScatterOp(ViewOpChecks, OpTest):
    op, row = DIAGONAL, staticmethod(diagonal_case)
    x_shape = (60, 3, 4)
    options = (0, 1, 2)


SHAPES = {
    'Matrix': {'x_shape': (101, 102), 'options': (0, 0, 1)},
    'Above': {'options': (1, 1, 2)},
    'Below': {'options': (-1, 1, 2)},
    'SwappedAxes': {'options': (-1, 2, 1)},
    'NegativeAxes': {'options': (2, -2, -1)},
    'OuterAxes': {'x_shape': (3, 60, 4), 'options': (1, 0, 2)},
    'FourAxes': {'x_shape': (3, 10, 4, 10), 'options': (0, 2, 0)},
    'PastTheEnd': {'options': (130, 1, 2), 'grad_inputs': ('x',)},
    'NoElement': {'x_shape': (0, 3, 4), 'no_grad': ZERO_SIZE},
}

globals().update(op_cases(TestDiagonalScatterOp, SHAPES))
globals().update(dtype_cases(TestDiagonalScatterOp))


if __name__ == '__main__':
    unittest.main()
