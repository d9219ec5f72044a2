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
"""paddle.masked_scatter by its table, what no row of it can say, wrong calls."""

import unittest
from dataclasses import replace

import masked_tests
import numpy as np
from masked_scatter_cases import CASES, OP
from op_table import CallTests, InplaceTests, ValueTests
from op_table_grad import GradientTests
from op_table_graph import (
    ComposedTests,
    GraphTests,
    ProgramTests,
    static_mode,
)
from scatter_test_utils import ALL_DTYPES

import paddle


class TestMaskedScatterTable(
    ValueTests, InplaceTests, CallTests, GradientTests, unittest.TestCase
):
    op, cases = OP, CASES
    aliases = ('x', 'input'), ('value', 'source')


class TestMaskedScatterGraphs(GraphTests, unittest.TestCase):
    op, cases = OP, CASES


class TestMaskedScatterComposed(ComposedTests, unittest.TestCase):
    op, cases = replace(OP, moves=False, orders=1), CASES
    kernels = 'masked_scatter', 'masked_scatter_'


class TestMaskedScatterOfX(GradientTests, ProgramTests, unittest.TestCase):
    """While value stops its gradient."""

    op, cases = replace(OP, differentiable=('x',)), CASES[:3]


class TestMaskedScatterOfValue(GradientTests, ProgramTests, unittest.TestCase):
    """While x stops its gradient."""

    op, cases = replace(OP, differentiable=('value',)), CASES[:3]


class TestMaskedScatterLengths(masked_tests.LengthTests, unittest.TestCase):
    op = OP

    def value_shapes(self, where):
        # none to spare: a read past the end finds other memory
        return [(np.count_nonzero(where),)]

    def value_grad(self, where, out_grad, value_shape):
        return out_grad[where]


class TestMaskedScatterMemory(masked_tests.MemoryTests, unittest.TestCase):
    op = OP
    views = {
        'itself': lambda a: a[:],
        'transposed': lambda a: a.T,
        'backwards': lambda a: a[::-1],
        'shifted': lambda a: a[7:],
    }


class TestMaskedScatterBuilding(masked_tests.BuildingTests, unittest.TestCase):
    op = OP


class TestMaskedScatterAutograd(masked_tests.AutogradTests, unittest.TestCase):
    op = OP

    def test_x_is_its_own_value(self):
        mask = paddle.to_tensor([True, False, True, False])
        for function in (paddle.masked_scatter, paddle.masked_scatter_):
            leaf = paddle.to_tensor([1.0, 2, 3, 4], stop_gradient=False)
            x = leaf * 1
            out = function(x, mask, x)
            out.backward(paddle.to_tensor([1.0, 10.0, 100.0, 1000.0]))
            self.assertEqual(out.tolist(), [1.0, 2.0, 2.0, 4.0])
            self.assertEqual(leaf.grad.tolist(), [1.0, 110.0, 0.0, 1000.0])


class TestMaskedScatterErrors(masked_tests.ErrorTests, unittest.TestCase):
    op = OP

    def setUp(self):
        # a GPU reports a value that is too short by a trap
        self.addCleanup(paddle.set_device, paddle.get_device())
        paddle.set_device('cpu')

    late_errors = masked_tests.misfits(
        ('mask', np.ones((2, 2), bool), '(?i)broadcast|mask'),
        ('mask', np.ones((4, 3), bool), '(?i)broadcast|mask'),
        ('value', (5,), r'\b6\b(.|\n)*\b5\b'),
    )

    def test_too_few_values_name_both_counts(self):
        for needed in (1, 3, 100, 5000, 300000):
            mask = np.arange(2 * needed).reshape(2, needed) < needed
            for dtype in ALL_DTYPES if needed == 100 else ('float32',):
                self.check(
                    AssertionError,
                    rf'(?s)masked_scatter.*\b{needed}\b.*\b{needed - 1}\b',
                    x=paddle.zeros([2, needed], dtype),
                    mask=paddle.to_tensor(mask),
                    value=paddle.ones([needed - 1], dtype),
                )

    def test_value_is_not_broadcast(self):
        for shape in ([], [1], [3], [1, 3]):
            self.check(AssertionError, r'\b6\b', value=paddle.ones(shape))

    def test_too_few_values_under_broadcasting_and_with_gradients(self):
        x, value = paddle.zeros([2, 3]), paddle.ones([3])
        x.stop_gradient = value.stop_gradient = False
        mask = paddle.to_tensor([True, False, True])
        for function in (paddle.masked_scatter, paddle.masked_scatter_):
            with self.assertRaisesRegex(AssertionError, r'\b4\b'):
                function(x * 1, mask, value)
        # the next call is right
        out = paddle.masked_scatter(x, mask, paddle.arange(4.0))
        self.assertEqual(out.tolist(), [[0.0, 0.0, 1.0], [2.0, 0.0, 3.0]])

    def test_too_few_values_leave_the_base_of_a_view(self):
        base = paddle.zeros([6, 8])
        with self.assertRaisesRegex(AssertionError, r'\b24\b'):
            base[:, ::2].masked_scatter_(
                paddle.ones([6, 4], 'bool'), paddle.ones([23])
            )
        self.assertEqual(float(base.sum()), 0.0)

    def test_other_dtypes(self):
        for dtype in ('uint8', 'int32', 'int64', 'float32', 'bfloat16'):
            self.check(
                AssertionError,
                rf'masked_scatter_?\) The dtype of mask .*bool, .*paddle.{dtype}',
                mask=paddle.ones([2, 3], dtype),
            )
        for dtype in ('float16', 'float64', 'int32', 'bool', 'complex64'):
            self.check(
                AssertionError,
                rf'value .*dtype of x, paddle.float32, .*paddle.{dtype}',
                value=paddle.ones([6], dtype),
            )

    def test_errors_of_the_operator_itself(self):
        x, mask = paddle.zeros([2, 3]), paddle.ones([2, 2], 'bool')
        for wrong, text in (
            (x, 'dtype of mask .*float32'),
            (mask, 'shape of mask .*broadcast'),
        ):
            text = rf'(?s)\(masked_scatter\) The .*{text}'
            with self.assertRaisesRegex(ValueError, text) as caught:
                paddle._C_ops.masked_scatter(x, wrong, x)
            said = str(caught.exception)
            self.assertNotRegex(said, 'Expected (?s:.)*(==|!=) ')

    def test_while_a_program_is_built(self):
        with (
            static_mode(),
            paddle.static.program_guard(paddle.static.Program()),
        ):
            x = paddle.static.data('x', [2, 3], 'float32')
            mask = paddle.static.data('mask', [2, 3], 'bool')
            for arguments, exception in (
                ((x, x, x), AssertionError),
                ((x, mask, mask), AssertionError),
                ((x, mask, None), TypeError),
                ((x, mask, np.zeros(6, 'float32')), TypeError),
            ):
                with self.assertRaises(exception):
                    paddle.masked_scatter(*arguments)


if __name__ == '__main__':
    unittest.main()
