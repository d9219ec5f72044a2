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
"""masked_scatter in OpTest form: every dtype, every way to broadcast."""

import unittest

from masked_scatter_cases import reference_masked_scatter
from op_test import OpTest
from scatter_op_utils import (
    MASKED_SHAPES,
    MaskedOpChecks,
    dtype_cases,
    op_cases,
)


class TestMaskedScatterOp(MaskedOpChecks, OpTest):
    op_name = 'masked_scatter'
    expected = staticmethod(reference_masked_scatter)


VALUE_SHAPES = {
    'NoValue': {'value_shape': (0,), 'density': 0.0, 'grad_inputs': ('x',)},
    'MoreValuesThanNeeded': {'value_shape': (5, 7, 8)},
    'ValuesInARow': {
        'x_shape': (4, 6, 5),
        'mask_shape': (4, 1, 5),
        'value_shape': (120,),
    },
}

globals().update(dtype_cases(TestMaskedScatterOp))
globals().update(op_cases(TestMaskedScatterOp, MASKED_SHAPES))
globals().update(op_cases(TestMaskedScatterOp, VALUE_SHAPES))


if __name__ == '__main__':
    unittest.main()
