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
"""Second-order gradients of masked_scatter in static graphs."""

import unittest

import numpy as np
from scatter_second_order_utils import SecondOrderCases

import paddle

rng = np.random.default_rng(7)


def arrays(x_shape, mask_shape, value_size):
    return {
        'x': rng.standard_normal(x_shape),
        'mask': rng.random(mask_shape) < 0.5,
        'value': rng.standard_normal(value_size),
    }


class TestMaskedScatterSecondOrder(SecondOrderCases, unittest.TestCase):
    cases = {
        'both': (paddle.masked_scatter, arrays([4, 5], [4, 5], 20), 'x value'),
        'x': (paddle.masked_scatter, arrays([4, 5], [4, 5], 20), 'x'),
        'value': (paddle.masked_scatter, arrays([4, 5], [4, 5], 20), 'value'),
        'row mask': (
            paddle.masked_scatter,
            arrays([4, 5], [5], [4, 5]),
            'x value',
        ),
        'wide mask': (
            paddle.masked_scatter,
            arrays([5], [4, 5], [4, 5]),
            'x value',
        ),
        '0-D': (paddle.masked_scatter, arrays([], [], 1), 'x value'),
        'nothing': (paddle.masked_scatter, arrays([0, 3], [3], 0), 'x value'),
    }


if __name__ == '__main__':
    unittest.main()
