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

from op_table import ValueTests
from op_table_grad import GradientTests
from op_table_graph import (
    ComposedTests,
    GraphTests,
    run_program,
    static_mode,
)
from view_scatter_cases import (
    DIAGONAL,
    DIAGONAL_CASES,
    LARGE_DIAGONAL_CASES,
    diagonal,
    diagonal_case,
)
from view_scatter_tests import BuildingTests, ErrorTests, ViewTests

import paddle


class TestDiagonalScatterValues(ValueTests, unittest.TestCase):
    op, cases = DIAGONAL, DIAGONAL_CASES

    def test_defaults_are_the_main_diagonal_of_the_first_axes(self):
        out = paddle.diagonal_scatter(
            paddle.zeros([3, 2, 1]), paddle.to_tensor([[1.0, 2.0]])
        )
        self.assertEqual(out[:, :, 0].tolist(), [[1, 0], [0, 2], [0, 0]])

    def test_offset_past_either_end_changes_nothing(self):
        x, y = paddle.rand([2, 3, 4]), paddle.zeros([2, 0])
        for offset in (
            *(4, 5, -3, -4, (1 << 63) - 1, -(1 << 63)),
            *(1 << 63, -(1 << 63) - 1, 1 << 70, -(1 << 70)),
        ):
            out = paddle.diagonal_scatter(x, y, offset, 1, 2)
            with static_mode():
                (found,) = run_program(
                    lambda variables, offset=offset: [
                        paddle.diagonal_scatter(
                            *variables.values(), offset, 1, 2
                        )
                    ],
                    {'x': x.numpy(), 'y': y.numpy()},
                )
            with self.subTest(offset=offset):
                self.assertEqual(out.numpy().tobytes(), x.numpy().tobytes())
                self.assertEqual(found.tobytes(), x.numpy().tobytes())


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
    out_of_range = AssertionError
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
    late_errors = [
        (ValueError, text, {'x': x, 'y': y}, options)
        for options, x, y, text in (
            ({}, (3, 4), (4,), r'shape of y .*\[3\].*\[4\]'),
            ({'offset': 5}, (3, 4), (3,), r'of y .*\[0\].*\[3\]'),
            ({'axis2': 2}, (2, 3, 4), (2, 3), r'\[3, 2\].*\[2, 3\]'),
        )
    ]

    def test_one_known_dim_bounds_the_diagonal(self):
        for x_shape, offset, most in (
            ([3, -1], 0, 3),
            ([-1, 3], 0, 3),
            ([-1, 3], 2, 1),
            ([3, -1], -1, 2),
            ([-1, 3], 5, 0),
            ([-1, 3], -5, 3),
        ):
            with (
                static_mode(),
                self.subTest(x=x_shape, offset=offset),
                paddle.static.program_guard(paddle.static.Program()),
            ):
                x = paddle.static.data('x', x_shape)
                y = paddle.static.data('y', [most])
                out = paddle.diagonal_scatter(x, y, offset)
                self.assertEqual(list(out.shape), x_shape)
                y = paddle.static.data('longer', [most + 1])
                text = f'of y should be at most {most} .*received {most + 1}'
                with self.assertRaisesRegex(AssertionError, text):
                    paddle.diagonal_scatter(x, y, offset)


class TestDiagonalScatterErrors(ErrorTests, unittest.TestCase):
    op = DIAGONAL
    errors = [
        (AssertionError, text, *others)
        for *others, text in (
            ([3], [3], (0, 0, 1), r'axis2 .*\[-1, 1\).*rank 1, .*received 1'),
            ([], [], (0, 0, 1), r'axis1 .*\[0, 0\).*rank 0, .*received 0'),
            ([3, 3], [3, 3], (0, 0, 0), 'axis1 and axis2 .* different axes'),
            ([3, 3], [3, 3], (0, 1, 1), 'axis1 and axis2 .* different axes'),
            ([3, 3], [3, 3], (0, 0, -2), 'axis1 and axis2 .* different axes'),
            ([3, 3], [3, 3], (0, -1, 1), 'axis1 and axis2 .* different axes'),
            ([3, 4], [3], (0, 2, 1), r'axis1 .*\[-2, 2\).*received 2'),
            ([3, 4], [3], (0, -3, 1), r'axis1 .*\[-2, 2\).*received -3'),
            ([3, 4], [3], (0, 0, 2), r'axis2 .*\[-2, 2\).*received 2'),
            ([3, 4], [3], (0, 0, -3), r'axis2 .*\[-2, 2\).*received -3'),
            ([3, 4], [4], (0, 0, 1), r'shape of y .*\[3\].*received \[4\]'),
            ([3, 4], [1], (0, 0, 1), r'shape of y .*\[3\].*received \[1\]'),
            ([3, 4], [1], (4, 0, 1), r'shape of y .*\[0\].*received \[1\]'),
            ([3, 4], [1], (-3, 0, 1), r'shape of y .*\[0\].*received \[1\]'),
            ([3, 4], [], (0, 0, 1), r'shape of y .*\[3\].*received \[\]'),
            (
                [3, 4],
                [1, 3],
                (0, 0, 1),
                r'shape of y .*\[3\].*received \[1, 3\]',
            ),
            ([3, 4], [3], (2, 0, 1), r'shape of y .*offset=2.*\[2\].*\[3\]'),
            ([2, 3, 4], [2, 4], (0, 0, 1), r'shape of y .*\[4, 2\].*\[2, 4\]'),
        )
    ]


if __name__ == '__main__':
    unittest.main()
