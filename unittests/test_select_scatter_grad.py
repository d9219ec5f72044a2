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
"""Gradients of paddle.select_scatter, first to higher orders."""

import unittest

import numpy as np
from scatter_grad_utils import LastOrderCases
from view_scatter_cases import SELECT
from view_scatter_grad import ScatterGradients, ScatterGradientsAndTorch

import paddle

rng = np.random.default_rng(7)
BOTH = 'x values'


def arrays(x_shape, values_shape):
    return {
        'x': rng.standard_normal(x_shape),
        'values': rng.standard_normal(values_shape),
    }


def selecting(axis, index):
    return lambda x, values: paddle.select_scatter(x, values, axis, index)


class TestSelectScatterGradients(ScatterGradients, unittest.TestCase):
    op = SELECT


class TestSelectScatterGradientsAndTorch(
    ScatterGradientsAndTorch, unittest.TestCase
):
    op = SELECT


class TestSelectScatterSecondOrder(LastOrderCases, unittest.TestCase):
    cases = {
        'both': (selecting(0, 1), arrays([4, 5], [5]), BOTH),
        'x': (selecting(-1, -2), arrays([4, 5], [4]), 'x'),
        'values': (selecting(1, 2), arrays([4, 5, 2], [4, 2]), 'values'),
        '0-D values': (selecting(0, 2), arrays([3], []), BOTH),
        'nothing': (selecting(0, 1), arrays([3, 0], [0]), BOTH),
    }


if __name__ == '__main__':
    unittest.main()
