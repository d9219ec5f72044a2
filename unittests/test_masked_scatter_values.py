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
"""paddle.masked_scatter by its table, and what no row of a table can say."""

import unittest
from dataclasses import replace

import masked_tests
import numpy as np
from masked_scatter_cases import CASES, OP
from op_table import InplaceTests, ValueTests
from op_table_grad import GradientTests
from op_table_graph import GraphTests, ProgramTests

import paddle


class TestMaskedScatterValues(ValueTests, unittest.TestCase):
    op, cases = OP, CASES


class TestMaskedScatterInplace(InplaceTests, unittest.TestCase):
    op, cases = OP, CASES


class TestMaskedScatterGradients(GradientTests, unittest.TestCase):
    op, cases = OP, CASES


class TestMaskedScatterGraphs(GraphTests, unittest.TestCase):
    op, cases = OP, CASES


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


class TestMaskedScatterCalls(unittest.TestCase):
    def test_aliases_and_keywords(self):
        x, mask = paddle.zeros([3]), paddle.to_tensor([True, False, True])
        value = paddle.to_tensor([5.0, 6.0])
        for out in (
            paddle.masked_scatter(value=value, mask=mask, x=x, name='any'),
            paddle.masked_scatter(input=x, mask=mask, source=value),
            paddle.tensor.masked_scatter(x, mask, value),
            x.masked_scatter(mask=mask, source=value),
            paddle.masked_scatter_(input=x.clone(), mask=mask, source=value),
            x.clone().masked_scatter_(mask, source=value),
        ):
            self.assertEqual(out.tolist(), [5.0, 0.0, 6.0])
        with self.assertRaisesRegex(TypeError, 'source'):
            paddle.masked_scatter(x, mask, value=value, source=value)


if __name__ == '__main__':
    unittest.main()
