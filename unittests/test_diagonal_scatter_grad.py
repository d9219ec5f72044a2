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
"""Gradients of paddle.diagonal_scatter, first to higher orders."""

import unittest

import numpy as np
from scatter_grad_utils import LastOrderCases
from view_scatter_cases import DIAGONAL
from view_scatter_grad import ScatterGradients, ScatterGradientsAndTorch

import paddle

rng = np.random.default_rng(7)
BOTH = 'x y'


def arrays(x_shape, y_shape):
    return {
        'x': rng.standard_normal(x_shape),
        'y': rng.standard_normal(y_shape),
    }


def on_diagonal(*args):
    return lambda x, y: paddle.diagonal_scatter(x, y, *args)


class TestDiagonalScatterGradients(ScatterGradients, unittest.TestCase):
    op = DIAGONAL


class TestDiagonalScatterGradientsAndTorch(
    ScatterGradientsAndTorch, unittest.TestCase
):
    op = DIAGONAL


class TestDiagonalScatterSecondOrder(LastOrderCases, unittest.TestCase):
    cases = {
        'both': (on_diagonal(), arrays([4, 5], [4]), BOTH),
        'x': (on_diagonal(1), arrays([4, 4], [3]), 'x'),
        'y': (on_diagonal(-1, 2, 0), arrays([3, 2, 4], [2, 3]), 'y'),
        'nothing': (on_diagonal(), arrays([3, 0], [0]), BOTH),
    }


if __name__ == '__main__':
    unittest.main()
