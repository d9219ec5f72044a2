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
"""select_scatter in OpTest form: every dtype, axis and edge."""

import unittest

from op_test import OpTest
from scatter_op_utils import (
    ZERO_SIZE,
    ViewOpChecks,
    dtype_cases,
    op_cases,
)
from view_scatter_cases import SELECT, select_case


class TestSelectScatterOp(ViewOpChecks, OpTest):
    op, row = SELECT, staticmethod(select_case)
    x_shape = (12, 110)
    options = (0, 5)


SHAPES = {
    'LastAxis': {'x_shape': (110, 12), 'options': (1, 5)},
    'NegativeAxisAndIndex': {'options': (-2, -3)},
    'MiddleAxis': {'x_shape': (11, 3, 10), 'options': (1, 2)},
    'FourAxes': {'x_shape': (10, 3, 2, 10), 'options': (2, 0)},
    'ValuesWithoutDims': {'x_shape': (120,), 'options': (0, 7)},
    'NoElement': {
        'x_shape': (0, 110),
        'options': (1, 7),
        'no_grad': ZERO_SIZE,
    },
}

globals().update(op_cases(TestSelectScatterOp, SHAPES))
globals().update(dtype_cases(TestSelectScatterOp))


if __name__ == '__main__':
    unittest.main()
