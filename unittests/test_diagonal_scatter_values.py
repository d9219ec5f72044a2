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
"""paddle.diagonal_scatter by its table, and what no row of a table can say."""

import unittest
from dataclasses import replace

import numpy as np
from op_table import ValueTests
from op_table_grad import GradientTests
from op_table_graph import ComposedTests, GraphTests, static_mode
from view_scatter_cases import (
    DIAGONAL,
    DIAGONAL_CASES,
    LARGE_DIAGONAL_CASES,
    diagonal,
    diagonal_case,
)
from view_scatter_tests import BuildingTests, ViewTests

import paddle


class TestDiagonalScatterValues(ValueTests, unittest.TestCase):
    op, cases = DIAGONAL, DIAGONAL_CASES

    def test_defaults_are_the_main_diagonal_of_the_first_axes(self):
        out = paddle.diagonal_scatter(
            paddle.zeros([3, 2, 1]), paddle.to_tensor([[1.0, 2.0]])
        )
        self.assertEqual(out[:, :, 0].tolist(), [[1, 0], [0, 2], [0, 0]])

    def test_y_has_the_shape_that_diagonal_gives(self):
        for case in self.cases:
            x_shape, y_shape = case.inputs.values()
            if 0 in y_shape:
                continue  # paddle.diagonal refuses some of these
            x = paddle.arange(np.prod(x_shape)).reshape(x_shape)
            y = paddle.diagonal(x, **case.options)
            out = paddle.diagonal_scatter(x, y + 1000, **case.options)
            with self.subTest(case=case.name):
                back = paddle.diagonal(out, **case.options)
                self.assertEqual(back.tolist(), (y + 1000).tolist())
                self.assertEqual(int((out != x).sum()), int(np.prod(y.shape)))


class TestDiagonalScatterGradients(GradientTests, unittest.TestCase):
    op, cases = DIAGONAL, DIAGONAL_CASES


class TestDiagonalScatterGraphs(GraphTests, unittest.TestCase):
    op, cases = DIAGONAL, DIAGONAL_CASES


class TestDiagonalScatterComposed(ComposedTests, unittest.TestCase):
    op, cases = replace(DIAGONAL, moves=False, orders=1), DIAGONAL_CASES
    kernels = ('diagonal_scatter',)


class TestDiagonalScatterViews(ViewTests, unittest.TestCase):
    op, cases, large_cases = DIAGONAL, DIAGONAL_CASES, LARGE_DIAGONAL_CASES
    view = staticmethod(diagonal)
    aliases = (
        ('x', 'input'),
        ('y', 'src'),
        ('axis1', 'dim1'),
        ('axis2', 'dim2'),
    )


class TestDiagonalScatterBuilding(BuildingTests, unittest.TestCase):
    op = DIAGONAL
    growing_cases = [
        [diagonal_case('', x_shape, *attributes) for x_shape in x_shapes]
        for attributes, *x_shapes in (
            ((0, 0, 1), (3, 4), (5, 2), (1, 1)),
            ((1, 1, 0), (3, 4), (2, 2), (4, 9)),
            ((-2, 0, 1), (3, 4), (9, 1), (2, 2)),
            ((1, 0, 2), (2, 3, 4), (4, 1, 1)),
            ((-1, -1, 0), (2, 3, 4), (4, 2, 1)),
        )
    ]
    late_errors = (
        ({}, (3, 4), (4,), ValueError, r'shape of y .*\[3\].*\[4\]'),
        ({'offset': 5}, (3, 4), (3,), ValueError, r'of y .*\[0\].*\[3\]'),
        ({'axis2': 2}, (2, 3, 4), (2, 3), ValueError, r'\[3, 2\].*\[2, 3\]'),
    )


class TestDiagonalScatterFaultsOfTheOldFormula(unittest.TestCase):
    """Each of these used to go wrong without an error, or be refused."""

    def test_offset_past_either_end_changes_nothing(self):
        x, y = paddle.rand([2, 3, 4]), paddle.zeros([2, 0])
        for offset in (4, 5, -3, -4, (1 << 63) - 1, -(1 << 63)):
            out = paddle.diagonal_scatter(x, y, offset, 1, 2)
            with self.subTest(offset=offset):
                self.assertEqual(out.numpy().tobytes(), x.numpy().tobytes())

    def test_offset_past_the_end_with_values_is_an_error(self):
        for offset in (4, -3):
            with self.assertRaisesRegex(AssertionError, r'\[0\].*\[1\]'):
                paddle.diagonal_scatter(
                    paddle.zeros([3, 4]), paddle.ones([1]), offset
                )

    def test_equal_axes_are_an_error_even_if_y_would_fit(self):
        for axis1, axis2 in ((0, 0), (1, 1), (0, -2), (-1, 1)):
            with self.subTest(axis1=axis1, axis2=axis2):
                with self.assertRaisesRegex(AssertionError, 'different axes'):
                    paddle.diagonal_scatter(
                        paddle.zeros([3, 3]),
                        paddle.ones([3, 3]),
                        0,
                        axis1,
                        axis2,
                    )


class TestDiagonalScatterWrongArguments(unittest.TestCase):
    # (x shape, y shape, attributes, what the text must hold)
    cases = (
        ([3], [3], (0, 0, 1), r'x must have at least 2 dims.*\[3\]'),
        ([], [], (0, 0, 1), r'x must have at least 2 dims.*\[\]'),
        ([3, 4], [3], (0, 2, 1), r'axis1 .*\[-2, 2\).*received 2'),
        ([3, 4], [3], (0, -3, 1), r'axis1 .*\[-2, 2\).*received -3'),
        ([3, 4], [3], (0, 0, 2), r'axis2 .*\[-2, 2\).*received 2'),
        ([3, 4], [3], (0, 0, -3), r'axis2 .*\[-2, 2\).*received -3'),
        ([3, 4], [4], (0, 0, 1), r'y must .*\[3\].*received \[4\]'),
        ([3, 4], [1], (0, 0, 1), r'y must .*\[3\].*received \[1\]'),
        ([3, 4], [], (0, 0, 1), r'y must .*\[3\].*received \[\]'),
        ([3, 4], [1, 3], (0, 0, 1), r'y must .*\[3\].*received \[1, 3\]'),
        ([3, 4], [3], (2, 0, 1), r'y must .*offset=2.*\[2\].*received \[3\]'),
        ([2, 3, 4], [2, 4], (0, 0, 1), r'y must .*\[4, 2\].*\[2, 4\]'),
    )

    def test_errors_name_the_argument_and_what_was_expected(self):
        for x_shape, y_shape, attributes, text in self.cases:
            with self.subTest(x=x_shape, y=y_shape, attributes=attributes):
                with self.assertRaisesRegex(
                    AssertionError, 'diagonal_scatter: ' + text
                ):
                    paddle.diagonal_scatter(
                        paddle.zeros(x_shape),
                        paddle.zeros(y_shape),
                        *attributes,
                    )

    def test_errors_while_a_static_graph_is_built(self):
        for x_shape, y_shape, attributes, _ in self.cases:
            with static_mode(), self.subTest(x=x_shape, y=y_shape):
                with paddle.static.program_guard(paddle.static.Program()):
                    x = paddle.static.data('x', x_shape, 'float32')
                    y = paddle.static.data('y', y_shape, 'float32')
                    with self.assertRaises(AssertionError):
                        paddle.diagonal_scatter(x, y, *attributes)

    def test_dtype_error_of_the_op_itself(self):
        x = paddle.zeros([3, 4])
        for dtype in ('int32', 'float64', 'complex64'):
            with self.assertRaisesRegex(ValueError, rf'dtype of y .*{dtype}'):
                y = paddle.ones([3], dtype)
                paddle._C_ops.diagonal_scatter(x, y, 0, 0, 1)

    def test_errors_of_the_op_itself(self):
        for x_shape, y_shape, attributes, _ in self.cases:
            with self.subTest(x=x_shape, y=y_shape, attributes=attributes):
                with self.assertRaisesRegex(ValueError, 'diagonal_scatter'):
                    paddle._C_ops.diagonal_scatter(
                        paddle.zeros(x_shape),
                        paddle.zeros(y_shape),
                        *attributes,
                    )


if __name__ == '__main__':
    unittest.main()
