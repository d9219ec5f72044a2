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
from op_table import Case, ValueTests
from op_table_grad import GradientTests
from op_table_graph import (
    ComposedTests,
    GraphTests,
    GrowingTests,
    loaded,
    saved,
    static_mode,
)
from scatter_test_utils import assert_same_bits
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
        (exception, text, {'x': x, 'values': values}, {'axis': a, 'index': i})
        for a, i, x, values, exception, text in (
            (0, 3, (3, 4), (4,), IndexError, r'index .*\[-3, 3\).*received 3'),
            (
                0,
                -4,
                (3, 4),
                (4,),
                IndexError,
                r'index .*\[-3, 3\).*received -4',
            ),
            (1, 0, (3, 0), (3,), IndexError, r'index .*size 0'),
            (0, 0, (3, 4), (3,), ValueError, r'of values .*\[4\].*\[3\]'),
            (1, 0, (2, 3, 4), (4, 2), ValueError, r'\[2, 4\].*\[4, 2\]'),
        )
    ]


def select_by_tensor(x, values, index):
    return paddle.select_scatter(x, values, 1, index)


def index_case(x_shape, index, dtype='int64'):
    inputs = {'x': x_shape, 'values': x_shape[:1]}
    inputs['index'] = np.array(index, dtype)
    return Case(f'{index} of {dtype}', inputs)


class TestSelectScatterIndexOfTheRunningProgram(
    GraphTests, GrowingTests, unittest.TestCase
):
    """index is a Tensor, or computed from a dim that is not known yet."""

    op = replace(
        SELECT,
        inputs=('x', 'values', 'index'),
        orders=1,
        function=select_by_tensor,
        reference=lambda x, values, index: SELECT.reference(
            x, values, axis=1, index=int(index)
        ),
    )
    cases = [
        index_case((3, 4), index, dtype)
        for index, dtype in (
            (-4, 'int64'),
            (2, 'uint8'),
            (0, 'int32'),
            (-1, 'int32'),
            (2, 'int64'),
        )
    ]
    growing_cases = [
        [index_case((3, 4), -2), index_case((2, 9), 1), index_case((5, 3), 2)]
    ]
    # An old program takes no such index.
    modes = (static_mode,)
    test_old_program = None

    def test_index_from_an_unknown_dim(self):
        def function(tensors):
            x, values = tensors
            return paddle.select_scatter(x, values, -1, x.shape[1] - 2)

        case = select_case('', (3, 4), -1, 2)
        arrays = case.arrays(SELECT, 'float64')
        with saved(function, arrays, known_dims=False) as path:
            out = loaded(path)([*map(paddle.to_tensor, arrays.values())])
        assert_same_bits(out, case.reference(SELECT, arrays))

    def test_what_is_no_index(self):
        for index, error in (
            (np.array(4), IndexError),
            (np.array(-5), IndexError),
            (np.array([1]), TypeError),
            (np.array(1.0), TypeError),
        ):
            case = index_case((3, 4), index, index.dtype)
            arrays = case.arrays(self.op, 'float64')
            with self.subTest(index=index), self.assertRaises(error):
                self.in_program(case, arrays, 0)


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
            rf'index should be in \[{-size}, {size}\) .*axis {axis} .*size {size}'
            rf'.*received {index}\.'
        )
        values = [n for n in shape if n != size]
        yield IndexError, text, shape, values, (axis, index)
    for rank, axis in ((0, 0), (2, 2), (2, -3), (1, 1), (3, 1 << 30)):
        text = rf'axis .*\[{-rank}, {rank}\).*rank {rank}, .*received {axis}\.'
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
        shape = [n for i, n in enumerate(x) if i != axis]
        text = rf'values .*{shape}, but received {values}\.'
        text = text.replace('[', r'\[').replace(']', r'\]')
        yield RuntimeError, text, x, values, (axis, 0)


class TestSelectScatterErrors(ErrorTests, unittest.TestCase):
    op, errors = SELECT, tuple(errors())

    def test_missing_index(self):
        with self.assertRaisesRegex(TypeError, 'index'):
            paddle.select_scatter(paddle.zeros([3, 4]), paddle.zeros([4]), 0)


if __name__ == '__main__':
    unittest.main()
