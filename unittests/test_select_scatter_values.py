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
"""paddle.select_scatter by its table, and what no row of a table can say."""

import unittest
from dataclasses import replace

import numpy as np
from op_table import ValueTests
from op_table_grad import GradientTests
from op_table_graph import (
    ComposedTests,
    GraphTests,
    loaded,
    run_program,
    saved,
    static_mode,
    to_static,
)
from scatter_test_utils import ALL_DTYPES, assert_same_bits
from view_scatter_cases import (
    LARGE_SELECT_CASES,
    SELECT,
    SELECT_CASES,
    select_case,
    selected,
)
from view_scatter_tests import BuildingTests, ErrorTests, ViewTests

import paddle


class TestSelectScatterValues(ValueTests, unittest.TestCase):
    op, cases = SELECT, SELECT_CASES

    def test_numpy_integers_as_axis_and_index(self):
        x, values = paddle.zeros([2, 3]), paddle.ones([2])
        out = paddle.select_scatter(x, values, np.int64(1), np.int32(-1))
        self.assertEqual(out.tolist(), [[0.0, 0.0, 1.0]] * 2)


class TestSelectScatterGradients(GradientTests, unittest.TestCase):
    op, cases = SELECT, SELECT_CASES


class TestSelectScatterGraphs(GraphTests, unittest.TestCase):
    op, cases = SELECT, SELECT_CASES


class TestSelectScatterComposed(ComposedTests, unittest.TestCase):
    op, cases = replace(SELECT, moves=False, orders=1), SELECT_CASES
    kernels = ('select_scatter',)


class TestSelectScatterViews(ViewTests, unittest.TestCase):
    op, cases, large_cases = SELECT, SELECT_CASES, LARGE_SELECT_CASES
    view = staticmethod(selected)
    aliases = (
        ('x', 'input'),
        ('values', 'src'),
        ('values', 'value'),
        ('axis', 'dim'),
    )


class TestSelectScatterBuilding(BuildingTests, unittest.TestCase):
    op = SELECT
    # A negative index counts from the size that the program runs with.
    growing_cases = [
        [select_case('', x_shape, axis, index) for x_shape in x_shapes]
        for axis, index, *x_shapes in (
            (0, -1, (3, 4), (5, 2), (1, 1)),
            (1, -2, (3, 4), (2, 2), (4, 9)),
            (0, 2, (3, 4), (9, 1)),
            (-1, -3, (2, 3, 4), (1, 2, 3)),
            (0, -2, (3,), (2,), (8,)),
        )
    ]
    late_errors = [
        ({'axis': axis, 'index': index}, *others)
        for axis, index, *others in (
            (0, 3, (3, 4), (4,), IndexError, r'index .*\[-3, 3\).*it is 3'),
            (0, -4, (3, 4), (4,), IndexError, r'index .*\[-3, 3\).*it is -4'),
            (1, 0, (3, 0), (3,), IndexError, r'index .*size 0'),
            (0, 0, (3, 4), (3,), ValueError, r'of values .*\[4\].*\[3\]'),
            (1, 0, (2, 3, 4), (4, 2), ValueError, r'\[2, 4\].*\[4, 2\]'),
        )
    ]


def select(tensors):
    x, values, index = tensors
    return paddle.select_scatter(x, values, 1, index)


def select_last_but_one(tensors):
    x, values = tensors
    return paddle.select_scatter(x, values, -1, x.shape[1] - 2)


class TestSelectScatterIndexOfTheRunningProgram(unittest.TestCase):
    """index is a Tensor, or computed from a dim that is not known yet."""

    def arrays(self, **index):
        rng = np.random.default_rng(7)
        x, values = rng.random((3, 4)), rng.random(3)
        return {'x': x, 'values': values, **index}

    def check(self, found, arrays, index):
        """The output, and the gradients of the sum of its cubes."""
        x, values = arrays['x'], arrays['values']
        out = SELECT.reference(x, values, axis=1, index=index)
        x_grad = SELECT.reference(3 * x**2, 0, axis=1, index=index)
        for got, wanted in zip(found, (out, x_grad, 3 * values**2)):
            np.testing.assert_allclose(got, wanted, rtol=1e-12)

    def in_program(self, arrays, known_dims):
        def build(variables):
            out = select(variables.values())
            wrt = [variables['x'], variables['values']]
            return [out, *paddle.static.gradients([out * out * out], wrt)]

        with static_mode():
            return run_program(build, arrays, ('x', 'values'), known_dims)

    def in_dygraph(self, function, arrays):
        tensors = [paddle.to_tensor(array) for array in arrays.values()]
        for tensor in tensors[:2]:
            tensor.stop_gradient = False
        out = function(tensors)
        return [out.numpy()] + [
            grad.numpy() for grad in paddle.grad([out * out * out], tensors[:2])
        ]

    def test_values_and_gradients(self):
        for index in (0, 2, -1, -4):
            for dtype in ('int32', 'int64', 'uint8')[: 3 if index >= 0 else 2]:
                arrays = self.arrays(index=np.array(index, dtype))
                with self.subTest(index=index, dtype=dtype):
                    for known in (True, False):
                        self.check(
                            self.in_program(arrays, known), arrays, index
                        )
                    traced = to_static(select, full_graph=True)
                    self.check(self.in_dygraph(traced, arrays), arrays, index)

    def test_saved_programs(self):
        arrays = self.arrays(index=np.array(-2))
        with saved(select, arrays, known_dims=False) as path:
            for index in (-2, 1):
                arrays['index'] = np.array(index)
                found = self.in_dygraph(loaded(path), arrays)
                self.check(found, arrays, index)

    def test_index_from_an_unknown_dim(self):
        arrays = self.arrays()
        with saved(select_last_but_one, arrays, known_dims=False) as path:
            self.check(self.in_dygraph(loaded(path), arrays), arrays, 2)

    def test_out_of_range(self):
        for index in (4, -5):
            with self.assertRaises(IndexError):
                self.in_program(self.arrays(index=np.array(index)), True)

    def test_dtypes(self):
        arrays = self.arrays(index=np.array(3))
        for dtype in ALL_DTYPES:

            def function(variables, dtype=dtype):
                x, values, index = variables.values()
                x, values = ((t * 9).astype(dtype) for t in (x, values))
                return [select((x, values, index))]

            (wanted,) = function(
                {name: paddle.to_tensor(a) for name, a in arrays.items()}
            )
            with static_mode():
                (found,) = run_program(function, arrays, known_dims=False)
            assert_same_bits(found, wanted.numpy(), dtype)

    def test_what_is_no_index(self):
        for index in (np.array([1]), np.array(1.0)):
            with self.assertRaises(TypeError):
                self.in_program(self.arrays(index=index), True)


def errors():
    for shape, axis, index in (
        ([3, 4], 0, 3),
        ([3, 4], 0, -4),
        ([3, 4], 1, 4),
        ([3, 4], -1, -5),
        ([3], 0, 1 << 40),
        ([3], 0, -(1 << 40)),
        ([3, 0], 1, 0),
        ([3, 0], 1, -1),
        ([3, -1], 0, -4),
    ):
        size = shape[axis]
        text = (
            rf'index must be in \[{-size}, {size}\) .*axis {axis} .*size {size}'
            rf'.*received {index}\.'
        )
        values = [n for n in shape if n != size]
        yield IndexError, text, shape, values, (axis, index)
    for rank, axis in ((0, 0), (2, 2), (2, -3), (1, 1), (3, 1 << 40)):
        text = rf'axis .*\[{-rank}, {rank}\).*{rank} dims.*received {axis}\.'
        values = [2] * max(0, rank - 1)
        yield IndexError, text, [2] * rank, values, (axis, 0)
    for x, values, axis in (
        ([3, 4], [3], 0),
        ([3, 4], [4], 1),
        ([3, 4], [1, 4], 0),
        ([3, 4], [], 0),
        ([3, 4], [1], 0),
        ([3], [1], 0),
        ([3], [3], 0),
        ([2, 3, 4], [4, 2], 1),
        ([0, 4], [3], 1),
        ([-1, 4], [3], 0),
        ([-1, 4, -1], [-1, -1, -1], 0),
        ([-1, 4, 2], [-1, 3], 0),
    ):
        wanted = [n for i, n in enumerate(x) if i != axis]
        text = rf'values .*{wanted}, but received {values}\.'
        text = text.replace('[', r'\[').replace(']', r'\]')
        yield RuntimeError, text, x, values, (axis, 0)


class TestSelectScatterErrors(ErrorTests, unittest.TestCase):
    op, errors = SELECT, tuple(errors())

    def test_missing_index(self):
        with self.assertRaisesRegex(TypeError, 'index'):
            paddle.select_scatter(paddle.zeros([3, 4]), paddle.zeros([4]), 0)


if __name__ == '__main__':
    unittest.main()
