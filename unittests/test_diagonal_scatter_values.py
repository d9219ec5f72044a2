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

import unittest

import numpy as np
from hypothesis import strategies
from scatter_test_utils import assert_same_bits, random_array, to_paddle
from view_scatter_cases import DIAGONAL
from view_scatter_values import (
    ScatterValues,
    random_arguments_equal_the_plain_loops,
    reading_the_view_back_gives_the_values,
)

import paddle


class TestDiagonalScatterValues(ScatterValues, unittest.TestCase):
    op = DIAGONAL
    aliases = (
        ('x', 'input'),
        ('y', 'src'),
        ('axis1', 'dim1'),
        ('axis2', 'dim2'),
    )
    exceptions = ('AssertionError', 'ValueError', 'TypeError')

    def test_defaults_are_the_main_diagonal_of_the_first_axes(self):
        rng = np.random.default_rng(1)
        x = to_paddle(random_array(rng, (3, 4, 2), 'float32'))
        y = to_paddle(random_array(rng, (2, 3), 'float32'))
        assert_same_bits(
            paddle.diagonal_scatter(x, y),
            paddle.diagonal_scatter(x, y, 0, 0, 1).numpy(),
        )

    def test_y_has_the_shape_that_diagonal_gives(self):
        for name, x_shape, attributes in self.op.cases:
            if 0 in self.op.values_shape(x_shape, *attributes):
                continue  # paddle.diagonal refuses some of these
            x = paddle.arange(np.prod(x_shape)).reshape(x_shape)
            y = paddle.diagonal(x, *attributes)
            out = paddle.diagonal_scatter(x, y + 1000, *attributes)
            with self.subTest(case=name):
                back = paddle.diagonal(out, *attributes)
                self.assertEqual(back.tolist(), (y + 1000).tolist())
                self.assertEqual(int((out != x).sum()), int(np.prod(y.shape)))


@strategies.composite
def arguments(draw):
    x_shape = draw(
        strategies.lists(strategies.integers(0, 5), min_size=2, max_size=5)
    )
    rank = len(x_shape)
    axis1 = draw(strategies.integers(-rank, rank - 1))
    step = draw(strategies.integers(1, rank - 1))
    axis2 = (axis1 + step) % rank - draw(strategies.sampled_from((0, rank)))
    offset = draw(strategies.integers(-6, 6))
    return tuple(x_shape), (offset, axis1, axis2)


class TestDiagonalScatterProperties(unittest.TestCase):
    test_random_arguments_equal_the_plain_loops = (
        random_arguments_equal_the_plain_loops(DIAGONAL, arguments())
    )
    test_reading_the_view_back_gives_the_values = (
        reading_the_view_back_gives_the_values(DIAGONAL, arguments())
    )


if __name__ == '__main__':
    unittest.main()
