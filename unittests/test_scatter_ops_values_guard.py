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
"""Programs built under compatible_ops_guard: of operators that others know too."""

import contextlib
import itertools
import unittest
from dataclasses import replace
from unittest import mock

import numpy as np
from index_reduce_cases import (
    LINEAR,
    LINEAR_REDUCES,
    graph_cases,
)
from masked_fill_cases import CASES as FILL_CASES
from masked_fill_cases import OP as FILL
from masked_scatter_cases import CASES as MASKED_CASES
from masked_scatter_cases import OP as MASKED
from op_table_graph import ProgramTests, run_program, static_mode, to_static
from scatter_test_utils import GRAD_DTYPES
from view_scatter_cases import DIAGONAL, DIAGONAL_CASES, SELECT, SELECT_CASES

import paddle
from paddle.static import compatible_ops_guard
from paddle.tensor import manipulation


@contextlib.contextmanager
def guarded():
    """Builds programs under the guard, where none of the operators is called."""
    operator = mock.Mock(side_effect=AssertionError('an operator is called'))
    names = 'masked_fill', *manipulation._SCATTER_OPS
    refused = dict.fromkeys(names, operator)
    with (
        static_mode(),
        compatible_ops_guard(),
        mock.patch.multiple(manipulation._C_ops, **refused),
    ):
        yield


class GuardTests(ProgramTests):
    """Programs give what dygraph does, with gradients of the first order."""

    test_program_of_every_order = None
    test_old_program = None

    def in_program(self, case, arrays, order, known_dims=True, mode=guarded):
        return super().in_program(case, arrays, order, known_dims, guarded)

    def check_dtype_in_programs(self, case, dtype):
        # expand refuses a bool that wants a gradient
        self.op = replace(self.op, differentiable=())
        super().check_dtype_in_programs(case, dtype)


class TestMaskedFillGuard(GuardTests, unittest.TestCase):
    op = replace(FILL, moves=False)
    # The gradient of where refuses what has no elements.
    cases = [
        case
        for case in FILL_CASES
        if all(array.size for array in case.arrays(FILL, 'float64').values())
    ]

    def test_numbers_that_are_not_finite(self):
        arrays = {'x': np.ones(2), 'mask': np.array([True, False])}
        for dtype, number in itertools.product(
            GRAD_DTYPES, (np.inf, -np.inf, np.nan)
        ):

            def build(variables, dtype=dtype, number=number):
                x = variables['x'].astype(dtype)
                out = paddle.masked_fill(x, variables['mask'], number)
                return [out.astype('complex128')]

            with guarded():
                (found,) = run_program(build, arrays)
            with self.subTest(dtype=dtype, number=number):
                np.testing.assert_array_equal(found, [number, 1])


class TestMaskedScatterGuard(GuardTests, unittest.TestCase):
    op, cases = replace(MASKED, moves=False), MASKED_CASES[:4]


class TestSelectScatterGuard(GuardTests, unittest.TestCase):
    op, cases = replace(SELECT, moves=False), SELECT_CASES[:3]


class TestDiagonalScatterGuard(GuardTests, unittest.TestCase):
    op, cases = replace(DIAGONAL, moves=False), DIAGONAL_CASES[:3]


class TestScatterGuard(GuardTests, unittest.TestCase):
    op, cases = LINEAR, graph_cases(LINEAR_REDUCES)[:5]


def scatter_positive(x):
    return paddle.masked_scatter(x, x > 0, x)


class TestGuard(unittest.TestCase):
    def test_calls_in_dygraph_are_as_without_it(self):
        x = paddle.ones([2])
        with (
            compatible_ops_guard(),
            mock.patch.object(
                manipulation, '_masked_scatter_composed'
            ) as composed,
        ):
            self.assertTrue(manipulation._has_scatter_kernels())
            scatter_positive(x)
        composed.assert_not_called()

    def test_it_ends_and_nests(self):
        with static_mode():
            with self.assertRaises(KeyError), compatible_ops_guard():
                with compatible_ops_guard():
                    pass
                self.assertFalse(manipulation._has_scatter_kernels())
                raise KeyError
            self.assertTrue(manipulation._has_scatter_kernels())

    def test_what_was_traced_before_is_traced_again(self):
        for specs in (None, [paddle.static.InputSpec([3], 'float32', 'x')]):
            traced = to_static(
                scatter_positive, input_spec=specs, full_graph=True
            )
            traced(paddle.ones([3]))
            with compatible_ops_guard():
                inside = traced.concrete_program.main_program
            outside = traced.concrete_program.main_program
            manipulation._check_compatible_ops('export', inside)
            with self.assertRaisesRegex(
                NotImplementedError, 'export: .* masked_scatter'
            ):
                manipulation._check_compatible_ops('export', outside)


if __name__ == '__main__':
    unittest.main()
