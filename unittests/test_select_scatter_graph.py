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
from scatter_graph_utils import (
    run_saved,
    run_static,
    run_to_static,
    saved_function,
)
from scatter_test_utils import ALL_DTYPES, assert_same_bits
from view_scatter_cases import SELECT
from view_scatter_graph import ScatterGraphs

import paddle


class TestSelectScatterGraphs(ScatterGraphs, unittest.TestCase):
    op = SELECT
    graph_case = 12
    # (attributes, shapes of x that one program runs with)
    growing_cases = (
        ((0, -1), ((3, 4), (5, 2), (1, 1))),
        ((1, -2), ((3, 4), (2, 2), (4, 9))),
        ((0, 2), ((3, 4), (9, 1))),
        ((-1, -3), ((2, 3, 4), (1, 2, 3))),
        ((0, -2), ((3,), (2,), (8,))),
    )
    # (attributes, x shape, values shape, error, text)
    late_errors = (
        ((0, 3), (3, 4), (4,), IndexError, r'index .*\[-3, 3\).*it is 3'),
        ((0, -4), (3, 4), (4,), IndexError, r'index .*\[-3, 3\).*it is -4'),
        ((1, 0), (3, 0), (3,), IndexError, r'index .*size 0'),
        ((0, 0), (3, 4), (3,), ValueError, r'shape of values .*\[4\].*\[3\]'),
        ((1, 0), (2, 3, 4), (4, 2), ValueError, r'values .*\[2, 4\].*\[4, 2\]'),
    )


def select(x, values, index):
    return paddle.select_scatter(x, values, 1, index)


def select_last_but_one(x, values):
    return paddle.select_scatter(x, values, -1, x.shape[1] - 2)


class TestIndexOfTheRunningProgram(unittest.TestCase):
    """index is a Tensor, or computed from a dim that is not known yet."""

    def arrays(self, **index):
        rng = np.random.default_rng(7)
        x, values = rng.random((3, 4)), rng.random(3)
        return {'x': x, 'values': values, **index}

    def expected(self, arrays, index):
        """The output, and the gradients of the sum of its cubes."""
        out, x_grad = arrays['x'].copy(), 3 * arrays['x'] ** 2
        out[:, index] = arrays['values']
        x_grad[:, index] = 0
        return [out, x_grad, 3 * arrays['values'] ** 2]

    def check(self, actual, arrays, index):
        for got, wanted in zip(actual, self.expected(arrays, index)):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)

    def test_values_and_gradients(self):
        grads_of = ('x', 'values')
        for index in (0, 2, -1, -4):
            for dtype in ('int32', 'int64', 'uint8')[: 3 if index >= 0 else 2]:
                arrays = self.arrays(index=np.array(index, dtype))
                with self.subTest(index=index, dtype=dtype):
                    for known in (True, False):
                        found = run_static(select, arrays, grads_of, known)
                        self.check(found, arrays, index)
                    found = run_to_static(select, arrays, True, grads_of)
                    self.check(found, arrays, index)

    def test_saved_programs(self):
        arrays = self.arrays(index=np.array(-2))
        with saved_function(select, arrays, known_dims=False) as prefix:
            for index in (-2, 1):
                arrays['index'] = np.array(index)
                found = run_saved(prefix, arrays, ('x', 'values'))
                self.check(found, arrays, index)

    def test_index_from_an_unknown_dim(self):
        arrays = self.arrays()
        with saved_function(
            select_last_but_one, arrays, known_dims=False
        ) as prefix:
            found = run_saved(prefix, arrays, ('x', 'values'))
            self.check(found, arrays, 2)

    def test_out_of_range(self):
        for index in (4, -5):
            arrays = self.arrays(index=np.array(index))
            with self.assertRaises(IndexError):
                run_static(select, arrays)

    def test_dtypes(self):
        arrays = self.arrays(index=np.array(3))
        for dtype in ALL_DTYPES:

            def function(x, values, index, dtype=dtype):
                x, values = ((t * 9).astype(dtype) for t in (x, values))
                return select(x, values, index)

            wanted = function(*map(paddle.to_tensor, arrays.values()))
            found = run_static(function, arrays, (), known_dims=False)
            assert_same_bits(found, wanted.numpy(), dtype)

    def test_what_is_no_index(self):
        for index in (np.array([1]), np.array(1.0)):
            with self.assertRaises(TypeError):
                run_static(select, self.arrays(index=index))


if __name__ == '__main__':
    unittest.main()
