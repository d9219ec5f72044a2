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
from view_scatter_cases import SELECT
from view_scatter_values import (
    ScatterValues,
    random_arguments_equal_the_plain_loops,
    reading_the_view_back_gives_the_values,
)

import paddle


class TestSelectScatterValues(ScatterValues, unittest.TestCase):
    op = SELECT
    aliases = (
        ('x', 'input'),
        ('values', 'src'),
        ('values', 'value'),
        ('axis', 'dim'),
    )
    exceptions = ('IndexError', 'RuntimeError', 'TypeError')

    def test_numpy_integers_as_axis_and_index(self):
        x, values = paddle.zeros([2, 3]), paddle.ones([2])
        out = paddle.select_scatter(x, values, np.int64(1), np.int32(-1))
        self.assertEqual(out.tolist(), [[0.0, 0.0, 1.0]] * 2)


@strategies.composite
def arguments(draw):
    x_shape = draw(
        strategies.lists(strategies.integers(0, 5), min_size=1, max_size=5)
    )
    axis = draw(strategies.integers(-len(x_shape), len(x_shape) - 1))
    x_shape[axis] = max(1, x_shape[axis])
    size = x_shape[axis]
    index = draw(strategies.integers(-size, size - 1))
    return tuple(x_shape), (axis, index)


class TestSelectScatterProperties(unittest.TestCase):
    test_random_arguments_equal_the_plain_loops = (
        random_arguments_equal_the_plain_loops(SELECT, arguments())
    )
    test_reading_the_view_back_gives_the_values = (
        reading_the_view_back_gives_the_values(SELECT, arguments())
    )


if __name__ == '__main__':
    unittest.main()
